#include "api/permit_ids.hpp"
#include "api/permit_view.hpp"
#include "api/permits_state.hpp"
#include "io/query_batch.hpp"
#include "locking/recipes/permits.hpp"

#include <redlatch/error.hpp>
#include <redlatch/permit_semaphore.hpp>

#include <utility>

namespace redlatch {

namespace permit_calls = locking::permits;
using detail::counter_impl;
using detail::requested_change;
using locking::counter_request;

namespace {

detail::counter_wait_options leased_wait(counter_impl const& impl, leased_permit_options const& options,
                                         bool for_ever) {
    auto lease = options.lease;
    if (options.renewed && !lease) lease = impl.core->settings().lock_watchdog_timeout;
    return {
        .amount = options.permits, .lease = lease, .wait = options.wait, .for_ever = for_ever, .stop = options.stop};
}

/// Zero: what is to be renewed will be.
std::error_code renewal_problem(counter_impl const& impl, leased_permit_options const& options, std::string& message) {
    if (impl.core->refusal(false)) return {};
    if (options.max_hold && (!options.renewed || options.max_hold->count() < 1)) {
        message = impl.shown()
                  + (options.renewed ? ": max_hold must be at least one millisecond"
                                     : ": max_hold bounds permits that are renewed; without renewal the lease does");
        return errc::invalid_argument;
    }
    if (!options.renewed) return {};
    if (options.lease && *options.lease >= detail::longest_time) {
        message = impl.shown() + ": permits that are taken for ever are not renewed; give a lease, or none";
        return errc::invalid_argument;
    }
    auto const no_thread = impl.core->have_thread();
    if (no_thread)
        message =
            impl.shown()
            + ": no permits were taken: the client's I/O thread, which would renew them, cannot be started; raise "
              "the limit of threads";
    return no_thread;
}

/// Zero: they are in `out`.
std::error_code take_now(counter_impl const& impl, leased_permit_options const& options, bool for_ever, permits& out,
                         std::string* message) {
    std::string problem;
    if (auto const wrong = renewal_problem(impl, options, problem)) {
        if (message != nullptr) *message = std::move(problem);
        return wrong;
    }
    return detail::wait_now(impl, leased_wait(impl, options, for_ever), message, [&](io::counter_wait const& ended) {
        out = detail::permits_access::make(impl, ended, options);
    });
}

std::optional<outcome> take_later(counter_impl const& impl, leased_permit_options const& options, bool for_ever,
                                  completion_ptr<permits>& done) {
    std::string problem;
    if (auto const wrong = renewal_problem(impl, options, problem)) return outcome(wrong, std::move(problem));
    return detail::start_wait(impl, leased_wait(impl, options, for_ever), done,
                              [impl, options](auto& ended, completion_ptr<permits> completion) {
                                  if (ended.result())
                                      return detail::tell(*impl.core, std::move(completion), detail::failure_of(ended),
                                                          permits());
                                  auto got = detail::permits_access::make(impl, ended.acquired(), options);
                                  ended.handed_over();
                                  detail::tell(*impl.core, std::move(completion), outcome(), std::move(got));
                              });
}

enum class if_missing { answers_no, fails };

/// A release of permits by their ids, as users see them. Answers whether it was done; that a permit is not there may be a
/// failure.
requested_change<bool> releasing_ids(counter_impl const& impl, std::vector<std::string> const& shown, if_missing then) {
    auto ids = detail::raw_ids(impl, shown);
    auto asked = detail::releasing_by_id(impl, ids);
    return {.about = asked.about,
            .amount = asked.amount,
            .compose = asked.compose,
            .releases = asked.releases,
            .idempotent = true,
            .answer = [impl, ids, then, answer = asked.answer](io::counter_change const& ended) {
                auto const missing = answer(ended);
                if (missing > 0 && then == if_missing::fails)
                    throw error(errc::not_owner, detail::not_there(impl, ids, missing));
                return missing == 0;
            }};
}

requested_change<bool> updating_lease(counter_impl const& impl, std::string const& shown,
                                      std::optional<time_span> lease) {
    if (lease && lease->count() < 1) detail::complain(impl, "lease must be at least one millisecond");
    if (lease && *lease >= detail::longest_time) lease.reset();
    return {.about = "setting the lease of permit " + shown + " of " + impl.shown(),
            .compose =
                [id = detail::raw_id(impl, shown), lease](counter_request request) {
                    request.ids = id;
                    request.lease = lease.value_or(base::milliseconds(0));
                    return permit_calls::set_lease(request);
                },
            .read =
                [](resp::value const& reply) {
                    auto const missing = permit_calls::read_set_lease(reply, 1);
                    return missing ? std::optional(missing->empty()) : std::nullopt;
                },
            .idempotent = true};
}

requested_change<bool> setting_total(counter_impl const& impl, int permits) {
    detail::must_be_at_least(impl, "permits", 0, permits);
    return {.about = "setting " + impl.shown(),
            .amount = permits,
            .compose = permit_calls::set_total,
            .read = detail::reads_done(impl),
            .idempotent = true};
}

/// `read(sight)`.
template <class Answer, class Read>
detail::question<Answer> looking_at(counter_impl const& impl, std::string const& id, std::string const& about,
                                    Read read) {
    auto request = impl.what->request();
    request.ids = id;
    return {.call = permit_calls::look(request),
            .about = about,
            .read =
                [about, read](io::query const& answered) {
                    auto const seen = permit_calls::read_sight(answered.reply());
                    if (!seen) throw error(errc::bad_reply, "the server sent an unexpected reply to " + about);
                    return Answer(read(*seen));
                },
            .kind = impl.what->how->kind};
}

detail::question<std::int64_t> counting_all_permits(counter_impl const& impl) {
    return looking_at<std::int64_t>(impl, {}, "asking for the permits of " + impl.shown(),
                                    [](permit_calls::sight const& seen) {
                                        return seen.is_set ? detail::sum_or_most(seen.available, seen.taken) : 0;
                                    });
}

detail::question<std::int64_t> counting_taken_permits(counter_impl const& impl) {
    return looking_at<std::int64_t>(impl, {}, "asking for the permits of " + impl.shown(),
                                    [](permit_calls::sight const& seen) { return seen.taken; });
}

detail::question<std::optional<duration>> asking_for_lease(counter_impl const& impl, std::string const& shown) {
    return looking_at<std::optional<duration>>(
        impl, detail::raw_id(impl, shown), "asking for the lease of permit " + shown + " of " + impl.shown(),
        [](permit_calls::sight const& seen) {
            return seen.found ? std::optional<duration>(seen.lease.value_or(duration::max())) : std::nullopt;
        });
}

std::string about_looking(counter_impl const& impl) {
    return "looking at " + impl.shown();
}

auto what_there_is(counter_impl const& impl) {
    return [impl](io::query_batch const& answered) {
        return detail::to_permit_info(*impl.core, impl.what->name, about_looking(impl), answered.replies());
    };
}

} // namespace

std::string detail::releasing_in_words(locking::counter const& semaphore, std::int64_t permits) {
    return "releasing " + permits_in_words(semaphore, permits);
}

std::int64_t detail::missing_of_released(locking::counter const& semaphore, std::int64_t permits,
                                         io::counter_change const& ended) {
    auto const said = permit_calls::read_release(ended.reply());
    if (!said || said->missing > permits)
        throw error(errc::bad_reply,
                    "the server sent an unexpected reply to " + releasing_in_words(semaphore, permits));
    if (!said->announced) warn_that_nobody_was_told(semaphore.shown(), semaphore.channel);
    // Where none is there after a repeat, the first copy has released them, or they were gone anyhow.
    return ended.repeated() && said->none_there ? 0 : said->missing;
}

requested_change<std::int64_t> detail::releasing_by_id(counter_impl const& impl, std::string const& ids) {
    auto const count = static_cast<std::int64_t>(number_of_ids(ids));
    return {.about = releasing_in_words(*impl.what, count),
            .amount = count,
            .compose =
                [ids](counter_request request) {
                    request.ids = ids;
                    return permit_calls::release(request);
                },
            .releases = true,
            .idempotent = true,
            .answer =
                [count, impl, ids](io::counter_change const& ended) {
                    auto const missing = missing_of_released(*impl.what, count, ended);
                    if (missing == 0) note_departed(impl, ids);
                    return missing;
                }};
}

std::string detail::not_there(counter_impl const& impl, std::string const& ids, std::int64_t position) {
    auto const all = shown_ids(ids);
    return "permit " + all.at(static_cast<std::size_t>(position - 1)) + " of " + impl.shown()
           + " is not there: it was released already, or its lease is over"
           + (all.size() > 1 ? "; none of the " + std::to_string(all.size()) + " was released"
                             : "; nothing was changed");
}

// --- acquire

permits permit_semaphore::acquire(leased_permit_options const& options) {
    permits out;
    std::string message;
    if (auto const wrong = take_now(impl(), options, true, out, &message)) detail::fail(wrong, std::move(message));
    return out;
}

permits permit_semaphore::acquire(leased_permit_options const& options, std::error_code& ec) {
    permits out;
    ec = moved_from() ? errc::invalid_argument : take_now(impl(), options, true, out, nullptr);
    return out;
}

std::optional<outcome> permit_semaphore::start_acquire(leased_permit_options const& options,
                                                       completion_ptr<permits>& done) {
    return take_later(impl(), options, true, done);
}

void permit_semaphore::async_acquire(leased_permit_options const& options, executor ex,
                                     std::function<void(std::error_code, permits)> handler) {
    detail::with_handler<permits>(*impl().core, std::move(ex), std::move(handler),
                                  [&](completion_ptr<permits>& done) { return start_acquire(options, done); });
}

std::optional<permits> permit_semaphore::try_acquire(leased_permit_options const& options) {
    permits out;
    std::string message;
    auto const wrong = take_now(impl(), options, false, out, &message);
    if (detail::means_no(wrong)) return std::nullopt;
    if (wrong) detail::fail(wrong, std::move(message));
    return out;
}

std::optional<permits> permit_semaphore::try_acquire(leased_permit_options const& options, std::error_code& ec) {
    permits out;
    ec = moved_from() ? errc::invalid_argument : take_now(impl(), options, false, out, nullptr);
    if (detail::means_no(ec) || ec) return std::nullopt;
    return out;
}

std::optional<outcome> permit_semaphore::start_try_acquire(leased_permit_options const& options,
                                                           completion_ptr<permits>& done) {
    return take_later(impl(), options, false, done);
}

void permit_semaphore::async_try_acquire(leased_permit_options const& options, executor ex,
                                         std::function<void(std::error_code, std::optional<permits>)> handler) {
    detail::must_be_callable(handler);
    auto const unwrapped = [handler = std::move(handler)](std::error_code ec, permits got) {
        auto const code = detail::means_no(ec) ? std::error_code() : ec;
        handler(code, ec ? std::nullopt : std::optional<permits>(std::move(got)));
    };
    detail::with_handler<permits>(*impl().core, std::move(ex), unwrapped,
                                  [&](completion_ptr<permits>& done) { return start_try_acquire(options, done); });
}

// --- by id

void permit_semaphore::release(std::string const& id) {
    release(std::vector<std::string>{id});
}

void permit_semaphore::release(std::vector<std::string> const& ids) {
    detail::change_now(impl(), releasing_ids(impl(), ids, if_missing::fails));
}

std::optional<outcome> permit_semaphore::start_release(std::vector<std::string> const& ids, completion_ptr<>& done) {
    return detail::checked_change_later(
        impl(), [&] { return releasing_ids(impl(), ids, if_missing::fails); }, done);
}

void permit_semaphore::async_release(std::vector<std::string> const& ids, executor ex,
                                     std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_release(ids, done); });
}

bool permit_semaphore::try_release(std::string const& id) {
    return try_release(std::vector<std::string>{id});
}

bool permit_semaphore::try_release(std::vector<std::string> const& ids) {
    return detail::change_now(impl(), releasing_ids(impl(), ids, if_missing::answers_no));
}

std::optional<outcome> permit_semaphore::start_try_release(std::vector<std::string> const& ids,
                                                           completion_ptr<bool>& done) {
    return detail::checked_change_later(
        impl(), [&] { return releasing_ids(impl(), ids, if_missing::answers_no); }, done);
}

void permit_semaphore::async_try_release(std::vector<std::string> const& ids, executor ex,
                                         std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [&](completion_ptr<bool>& done) { return start_try_release(ids, done); });
}

bool permit_semaphore::update_lease(std::string const& id, std::optional<time_span> lease) {
    return detail::change_now(impl(), updating_lease(impl(), id, lease));
}

std::optional<outcome> permit_semaphore::start_update_lease(std::string const& id, std::optional<time_span> lease,
                                                            completion_ptr<bool>& done) {
    return detail::checked_change_later(
        impl(), [&] { return updating_lease(impl(), id, lease); }, done);
}

void permit_semaphore::async_update_lease(std::string const& id, std::optional<time_span> lease, executor ex,
                                          std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [&](completion_ptr<bool>& done) { return start_update_lease(id, lease, done); });
}

std::optional<duration> permit_semaphore::lease_of(std::string const& id) {
    return detail::ask_now(impl().core, asking_for_lease(impl(), id));
}

std::optional<outcome> permit_semaphore::start_lease_of(std::string const& id,
                                                        completion_ptr<std::optional<duration>>& done) {
    try {
        return detail::ask_later(impl().core, asking_for_lease(impl(), id), done);
    } catch (error const& problem) { // of the id
        return outcome(problem.code(), problem.what());
    }
}

void permit_semaphore::async_lease_of(std::string const& id, executor ex,
                                      std::function<void(std::error_code, std::optional<duration>)> handler) {
    detail::with_handler<std::optional<duration>>(
        *impl().core, std::move(ex), std::move(handler),
        [&](completion_ptr<std::optional<duration>>& done) { return start_lease_of(id, done); });
}

// --- how many there are

std::int64_t permit_semaphore::get_permits() {
    return detail::ask_now(impl().core, counting_all_permits(impl()));
}

std::optional<outcome> permit_semaphore::start_get_permits(completion_ptr<std::int64_t>& done) {
    return detail::ask_later(impl().core, counting_all_permits(impl()), done);
}

void permit_semaphore::async_get_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler) {
    detail::with_handler<std::int64_t>(*impl().core, std::move(ex), std::move(handler),
                                       [this](completion_ptr<std::int64_t>& done) { return start_get_permits(done); });
}

std::int64_t permit_semaphore::acquired_permits() {
    return detail::ask_now(impl().core, counting_taken_permits(impl()));
}

std::optional<outcome> permit_semaphore::start_acquired_permits(completion_ptr<std::int64_t>& done) {
    return detail::ask_later(impl().core, counting_taken_permits(impl()), done);
}

void permit_semaphore::async_acquired_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler) {
    detail::with_handler<std::int64_t>(
        *impl().core, std::move(ex), std::move(handler),
        [this](completion_ptr<std::int64_t>& done) { return start_acquired_permits(done); });
}

permit_info permit_semaphore::inspect() {
    return detail::run_now<io::query_batch>(impl().core, about_looking(impl()), what_there_is(impl()),
                                            &impl().core->node_of(impl().what->name),
                                            detail::ask_for_permits(impl().what->name), about_looking(impl()));
}

std::optional<outcome> permit_semaphore::start_inspect(completion_ptr<permit_info>& done) {
    return detail::run_later<io::query_batch>(impl().core, about_looking(impl()), what_there_is(impl()), done,
                                              &impl().core->node_of(impl().what->name),
                                              detail::ask_for_permits(impl().what->name), about_looking(impl()));
}

void permit_semaphore::async_inspect(executor ex, std::function<void(std::error_code, permit_info)> handler) {
    detail::with_handler<permit_info>(*impl().core, std::move(ex), std::move(handler),
                                      [this](completion_ptr<permit_info>& done) { return start_inspect(done); });
}

void permit_semaphore::set_permits(int permits) {
    detail::change_now(impl(), setting_total(impl(), permits));
}

std::optional<outcome> permit_semaphore::start_set_permits(int permits, completion_ptr<>& done) {
    return detail::checked_change_later(
        impl(), [&] { return setting_total(impl(), permits); }, done);
}

void permit_semaphore::async_set_permits(int permits, executor ex, std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_set_permits(permits, done); });
}

} // namespace redlatch
