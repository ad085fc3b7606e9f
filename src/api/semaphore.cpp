#include "locking/recipes/semaphore.hpp"

#include "api/counter_impl.hpp"

#include <redlatch/error.hpp>
#include <redlatch/semaphore.hpp>

#include <utility>

namespace redlatch {

namespace semaphore_calls = locking::semaphore;
using detail::counter_impl;
using detail::requested_change;
using locking::counter_request;

namespace {

detail::counter_wait_options permit_wait(permit_options const& options, bool for_ever) {
    return {.amount = options.permits, .wait = options.wait, .for_ever = for_ever, .stop = options.stop};
}

requested_change<bool> adding_permits(counter_impl const& impl, std::int64_t permits,
                                      locking::wire_call (*compose)(counter_request const&), char const* verb) {
    return {.about = verb + detail::permits_in_words(*impl.what, permits),
            .amount = permits,
            .compose = compose,
            .read = detail::reads_release(impl),
            .adds = permits > 0,
            .releases = true,
            .when_full = permits > 0 ? compose : nullptr};
}

requested_change<bool> releasing_permits(counter_impl const& impl, int permits) {
    detail::must_be_at_least(impl, "permits", 1, permits);
    return adding_permits(impl, permits, semaphore_calls::release, "releasing ");
}

requested_change<bool> releasing_permits_if_exists(counter_impl const& impl, int permits) {
    detail::must_be_at_least(impl, "permits", 1, permits);
    return adding_permits(impl, permits, semaphore_calls::release_if_exists, "releasing ");
}

requested_change<std::int64_t> draining_permits(counter_impl const& impl) {
    return {
        .about = "draining " + impl.shown(), .compose = semaphore_calls::drain, .read = [](resp::value const& reply) {
            return reply.is_integer() ? std::optional(reply.integer) : std::nullopt;
        }};
}

} // namespace

// --- acquire

void semaphore::acquire(permit_options const& options) {
    std::string message;
    if (auto const wrong = detail::wait_now(impl(), permit_wait(options, true), &message))
        detail::fail(wrong, std::move(message));
}

void semaphore::acquire(permit_options const& options, std::error_code& ec) {
    if (moved_from()) return void(ec = errc::invalid_argument);
    ec = detail::wait_now(impl(), permit_wait(options, true), nullptr);
}

std::optional<outcome> semaphore::start_acquire(permit_options const& options, completion_ptr<>& done) {
    return detail::wait_later(impl(), permit_wait(options, true), done);
}

void semaphore::async_acquire(permit_options const& options, executor ex,
                              std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_acquire(options, done); });
}

bool semaphore::try_acquire(permit_options const& options) {
    std::string message;
    auto const wrong = detail::wait_now(impl(), permit_wait(options, false), &message);
    if (wrong && !detail::means_no(wrong)) detail::fail(wrong, std::move(message));
    return !wrong;
}

bool semaphore::try_acquire(permit_options const& options, std::error_code& ec) {
    if (moved_from()) return ec = errc::invalid_argument, false;
    ec = detail::wait_now(impl(), permit_wait(options, false), nullptr);
    return !ec;
}

std::optional<outcome> semaphore::start_try_acquire(permit_options const& options, completion_ptr<bool>& done) {
    return detail::try_wait_later(impl(), permit_wait(options, false), done);
}

void semaphore::async_try_acquire(permit_options const& options, executor ex,
                                  std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [&](completion_ptr<bool>& done) { return start_try_acquire(options, done); });
}

// --- release

void semaphore::release(int permits) {
    detail::change_now(impl(), releasing_permits(impl(), permits));
}

std::optional<outcome> semaphore::start_release(int permits, completion_ptr<>& done) {
    return detail::checked_change_later(
        impl(), [&] { return releasing_permits(impl(), permits); }, done);
}

void semaphore::async_release(int permits, executor ex, std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_release(permits, done); });
}

bool semaphore::release_if_exists(int permits) {
    return detail::change_now(impl(), releasing_permits_if_exists(impl(), permits));
}

std::optional<outcome> semaphore::start_release_if_exists(int permits, completion_ptr<bool>& done) {
    return detail::checked_change_later(
        impl(), [&] { return releasing_permits_if_exists(impl(), permits); }, done);
}

void semaphore::async_release_if_exists(int permits, executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [&](completion_ptr<bool>& done) { return start_release_if_exists(permits, done); });
}

// --- the rest

std::int64_t semaphore::drain_permits() {
    return detail::change_now(impl(), draining_permits(impl()));
}

std::optional<outcome> semaphore::start_drain_permits(completion_ptr<std::int64_t>& done) {
    return detail::change_later(impl(), draining_permits(impl()), done);
}

void semaphore::async_drain_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler) {
    detail::with_handler<std::int64_t>(
        *impl().core, std::move(ex), std::move(handler),
        [this](completion_ptr<std::int64_t>& done) { return start_drain_permits(done); });
}

} // namespace redlatch
