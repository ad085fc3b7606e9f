// What several locks can be asked about, and force_unlock(): one call to each member, all at the same time, in all forms.
#include "api/async_call.hpp"
#include "api/joint_answers.hpp"
#include "api/multi_lock_impl.hpp"
#include "api/waits.hpp"
#include "locking/names.hpp"

#include <redlatch/basic_multi_lock.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <utility>

namespace redlatch {

using detail::joint_answers;
using detail::multi_lock_impl;

namespace {

using group_ptr = std::shared_ptr<multi_lock_impl>;

/// What each member is asked, and what their answers say together.
template <class Answer, class Result> struct joint_question {
    std::string about;
    typename joint_answers<Answer>::starter ask;
    Result (*read)(std::vector<Answer> answers);
};

std::vector<std::string> names_of(multi_lock_impl const& group) {
    std::vector<std::string> names;
    for (auto const& one : group.members) names.push_back("lock " + locking::shown(one.name()));
    return names;
}

template <class Answer, class Result>
Result ask_now(group_ptr const& group, joint_question<Answer, Result> const& question) {
    if (auto const refused = group->refusal(true))
        throw error(static_cast<errc>(refused.value()), question.about + ": " + refused.message());
    auto const work = std::make_shared<joint_answers<Answer>>(names_of(*group), question.about);
    detail::joint_wait wait(group->home(), work, group->time_for_answers());
    work->begin(question.ask);
    io::run_blocking(wait);
    auto const& how = work->result();
    if (how.failed()) detail::fail(how.code(), how.message());
    return question.read(work->take());
}

template <class Answer, class Result>
std::optional<outcome> ask_later(group_ptr const& group, joint_question<Answer, Result> const& question,
                                 completion_ptr<Result>& done) {
    if (auto const refused = group->refusal(false)) return outcome(refused, question.about + ": " + refused.message());
    auto const carrier = group->carrier();
    if (auto const no_thread = carrier->need_thread())
        return outcome(no_thread, question.about + ": " + io::no_io_thread);
    auto const work = std::make_shared<joint_answers<Answer>>(names_of(*group), question.about);
    bool const running = detail::start<detail::joint_wait>(
        carrier, {}, done,
        [carrier, work, read = question.read](detail::joint_wait&, completion_ptr<Result> completion) {
            auto const& how = work->result();
            detail::tell(*carrier, std::move(completion), how, how.failed() ? Result() : read(work->take()));
        },
        work, group->time_for_answers());
    if (!running) return outcome(errc::closed, question.about + ": " + make_error_code(errc::closed).message());
    work->begin(question.ask);
    return std::nullopt;
}

joint_question<bool, bool> force_release(group_ptr const& group) {
    return {
        "force-releasing the " + group->shown(),
        [group](std::size_t member, completion_ptr<bool>& done) {
            return group->members[member].start_force_unlock(done);
        },
        [](std::vector<bool> was_held) { return std::find(was_held.begin(), was_held.end(), true) != was_held.end(); }};
}

joint_question<lock_info, std::vector<lock_info>> holders_of(group_ptr const& group, look_options const& options) {
    return {"looking at the " + group->shown(),
            [group, options](std::size_t member, completion_ptr<lock_info>& done) {
                return group->members[member].start_inspect(done, options);
            },
            [](std::vector<lock_info> all) { return all; }};
}

} // namespace

bool basic_multi_lock::force_unlock() {
    return ask_now(impl(), force_release(impl()));
}

std::optional<outcome> basic_multi_lock::start_force_unlock(completion_ptr<bool>& done) {
    return ask_later(impl(), force_release(impl()), done);
}

void basic_multi_lock::async_force_unlock(executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl()->home(), std::move(ex), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_force_unlock(done); });
}

std::vector<lock_info> basic_multi_lock::inspect(look_options const& options) {
    return ask_now(impl(), holders_of(impl(), options));
}

std::optional<outcome> basic_multi_lock::start_inspect(completion_ptr<std::vector<lock_info>>& done,
                                                       look_options const& options) {
    return ask_later(impl(), holders_of(impl(), options), done);
}

void basic_multi_lock::async_inspect(executor ex, std::function<void(std::error_code, std::vector<lock_info>)> handler,
                                     look_options const& options) {
    using answer = std::vector<lock_info>;
    detail::with_handler<answer>(*impl()->home(), std::move(ex), std::move(handler),
                                 [&](completion_ptr<answer>& done) { return start_inspect(done, options); });
}

} // namespace redlatch
