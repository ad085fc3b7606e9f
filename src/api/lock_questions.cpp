// What a lock can be asked about, and force_unlock(): one call to the server each, in all forms.
#include "api/access.hpp"
#include "api/lock_view.hpp"
#include "api/question.hpp"
#include "io/query_batch.hpp"
#include "locking/names.hpp"

#include <redlatch/basic_lock.hpp>

#include <span>
#include <utility>
#include <vector>

namespace redlatch {

using detail::lock_impl;
using detail::question;

namespace {

std::string shown(lock_impl const& impl) {
    return "lock " + locking::shown(impl.record->name);
}

io::node* server_of(lock_impl const& impl) {
    return &impl.core->node_of(impl.record->name);
}

question<bool> whether_locked(lock_impl const& impl) {
    auto const& kind = *impl.record->how;
    return {kind.is_held(impl.record->context({}, {})), "asking for " + shown(impl),
            [&kind](io::query const& answered) {
                auto const held = kind.read_is_held(answered.reply());
                if (!held)
                    throw error(errc::bad_reply, "the server sent an unexpected reply to whether a lock is held");
                return *held;
            }};
}

question<std::optional<duration>> how_long(lock_impl const& impl) {
    return {impl.record->how->lease_left(impl.record->context({}, {})), "asking for the lease of " + shown(impl),
            [](io::query const& answered) {
                if (!answered.reply().is_integer())
                    throw error(errc::bad_reply, "the server sent an unexpected reply to how long a lock is held");
                auto const left = answered.reply().integer;
                return left < 0 ? std::nullopt : std::optional(duration(left));
            }};
}

std::vector<std::string> who(lock_impl const& impl, look_options const& options) {
    std::vector<std::string> commands;
    detail::append_look(commands, impl.record->name);
    commands.push_back(detail::ask_for_time());
    if (options.labels) commands.push_back(detail::ask_for_labels());
    return commands;
}

auto holders_of(std::shared_ptr<lock_impl> impl, look_options const& options) {
    return [of = std::move(impl), options](io::query_batch const& answered) {
        auto const answers = std::span(answered.replies());
        constexpr auto looks = detail::questions_of_a_look;
        auto info =
            detail::to_info(*of->core, of->record->name, answers.first(looks), answers[looks], of->record->parts());
        if (options.labels) detail::add_labels({&info, 1}, detail::labels_of(*server_of(*of), answers.back()));
        return info;
    };
}

question<bool> force_release(std::shared_ptr<lock_impl> const& impl) {
    return {detail::force_release_call(*impl), "force-releasing " + shown(*impl),
            [impl, asked_at = lease_clock::now()](io::query const& answered) {
                return detail::after_force_release(*impl, answered, asked_at);
            }};
}

} // namespace

bool basic_lock::is_locked() {
    return detail::ask_now(impl().core, whether_locked(impl()));
}

std::optional<outcome> basic_lock::start_is_locked(completion_ptr<bool>& done) {
    return detail::ask_later(impl().core, whether_locked(impl()), done);
}

void basic_lock::async_is_locked(executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_is_locked(done); });
}

std::optional<duration> basic_lock::remaining_lease() {
    return detail::ask_now(impl().core, how_long(impl()));
}

std::optional<outcome> basic_lock::start_remaining_lease(completion_ptr<std::optional<duration>>& done) {
    return detail::ask_later(impl().core, how_long(impl()), done);
}

void basic_lock::async_remaining_lease(executor ex,
                                       std::function<void(std::error_code, std::optional<duration>)> handler) {
    using answer = std::optional<duration>;
    detail::with_handler<answer>(*impl().core, std::move(ex), std::move(handler),
                                 [this](completion_ptr<answer>& done) { return start_remaining_lease(done); });
}

lock_info basic_lock::inspect(look_options const& options) {
    auto const about = "looking at " + shown(impl());
    return detail::run_now<io::query_batch>(impl().core, about, holders_of(impl_, options), server_of(impl()),
                                            who(impl(), options), about);
}

std::optional<outcome> basic_lock::start_inspect(completion_ptr<lock_info>& done, look_options const& options) {
    auto const about = "looking at " + shown(impl());
    return detail::run_later<io::query_batch>(impl().core, about, holders_of(impl_, options), done, server_of(impl()),
                                              who(impl(), options), about);
}

void basic_lock::async_inspect(executor ex, std::function<void(std::error_code, lock_info)> handler,
                               look_options const& options) {
    detail::with_handler<lock_info>(*impl().core, std::move(ex), std::move(handler),
                                    [&](completion_ptr<lock_info>& done) { return start_inspect(done, options); });
}

bool basic_lock::force_unlock() {
    auto const& core = impl().core;
    return detail::ask_now(core, force_release(impl_));
}

std::optional<outcome> basic_lock::start_force_unlock(completion_ptr<bool>& done) {
    auto const& core = impl().core;
    return detail::ask_later(core, force_release(impl_), done);
}

void basic_lock::async_force_unlock(executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_force_unlock(done); });
}

} // namespace redlatch
