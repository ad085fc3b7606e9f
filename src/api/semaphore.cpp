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

std::string permits_in_words(counter_impl const& impl, std::int64_t permits) {
    return std::to_string(permits) + (permits == 1 ? " permit of " : " permits of ") + impl.shown();
}

requested_change<bool> adding_permits(counter_impl const& impl, std::int64_t permits,
                                      locking::wire_call (*compose)(counter_request const&), char const* verb) {
    return {.about = verb + permits_in_words(impl, permits),
            .amount = permits,
            .compose = compose,
            .read = detail::reads_done(impl)};
}

requested_change<bool> releasing_permits(counter_impl const& impl, int permits) {
    detail::must_be_at_least(impl, "permits", 1, permits);
    return adding_permits(impl, permits, semaphore_calls::release, "releasing ");
}

requested_change<bool> releasing_permits_if_exists(counter_impl const& impl, int permits) {
    detail::must_be_at_least(impl, "permits", 1, permits);
    return adding_permits(impl, permits, semaphore_calls::release_if_exists, "releasing ");
}

detail::question<std::int64_t> counting_permits(counter_impl const& impl) {
    return detail::number_of(impl, "asking for the permits of " + impl.shown());
}

requested_change<std::int64_t> draining_permits(counter_impl const& impl) {
    return {
        .about = "draining " + impl.shown(), .compose = semaphore_calls::drain, .read = [](resp::value const& reply) {
            return reply.is_integer() ? std::optional(reply.integer) : std::nullopt;
        }};
}

requested_change<bool> setting_permits(counter_impl const& impl, int permits, std::optional<time_span> expiry) {
    detail::must_be_at_least(impl, "permits", 0, permits);
    if (expiry && expiry->count() < 1) detail::complain(impl, "expiry must be at least one millisecond");
    if (expiry && *expiry >= detail::longest_time) expiry.reset();
    return {.about = "setting " + impl.shown(),
            .amount = permits,
            .compose = [expiry](counter_request const& what) { return semaphore_calls::set(what, expiry); },
            .read = detail::reads_done(impl)};
}

requested_change<bool> removing_semaphore(counter_impl const& impl) {
    return {.about = "removing " + impl.shown(), .compose = semaphore_calls::remove, .read = detail::reads_done(impl)};
}

} // namespace

semaphore::semaphore(std::shared_ptr<counter_impl> impl) noexcept : impl_(std::move(impl)) {}

counter_impl const& semaphore::impl() const {
    if (!impl_) throw error(errc::invalid_argument, "this semaphore was moved from; use the one that it was moved to");
    return *impl_;
}

std::string const& semaphore::name() const noexcept {
    static std::string const none;
    return impl_ ? impl_->what->name : none;
}

user_loop const* semaphore::driven_by() const noexcept {
    return impl_ ? impl_->core->driven_by() : nullptr;
}

// --- acquire

void semaphore::acquire(permit_options const& options) {
    std::string message;
    if (auto const wrong = detail::wait_now(impl(), permit_wait(options, true), &message))
        detail::fail(wrong, std::move(message));
}

void semaphore::acquire(permit_options const& options, std::error_code& ec) {
    if (!impl_) return void(ec = errc::invalid_argument);
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
    if (!impl_) return ec = errc::invalid_argument, false;
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

std::int64_t semaphore::available_permits() {
    return detail::ask_now(impl().core, counting_permits(impl()));
}

std::optional<outcome> semaphore::start_available_permits(completion_ptr<std::int64_t>& done) {
    return detail::ask_later(impl().core, counting_permits(impl()), done);
}

void semaphore::async_available_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler) {
    detail::with_handler<std::int64_t>(
        *impl().core, std::move(ex), std::move(handler),
        [this](completion_ptr<std::int64_t>& done) { return start_available_permits(done); });
}

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

bool semaphore::try_set_permits(int permits, std::optional<time_span> expiry) {
    return detail::change_now(impl(), setting_permits(impl(), permits, expiry));
}

std::optional<outcome> semaphore::start_try_set_permits(int permits, std::optional<time_span> expiry,
                                                        completion_ptr<bool>& done) {
    return detail::checked_change_later(
        impl(), [&] { return setting_permits(impl(), permits, expiry); }, done);
}

void semaphore::async_try_set_permits(int permits, std::optional<time_span> expiry, executor ex,
                                      std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler), [&](completion_ptr<bool>& done) {
        return start_try_set_permits(permits, expiry, done);
    });
}

void semaphore::add_permits(int change) {
    detail::change_now(impl(), adding_permits(impl(), change, semaphore_calls::release, "adding "));
}

std::optional<outcome> semaphore::start_add_permits(int change, completion_ptr<>& done) {
    return detail::change_later(impl(), adding_permits(impl(), change, semaphore_calls::release, "adding "), done);
}

void semaphore::async_add_permits(int change, executor ex, std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_add_permits(change, done); });
}

bool semaphore::remove() {
    return detail::change_now(impl(), removing_semaphore(impl()));
}

std::optional<outcome> semaphore::start_remove(completion_ptr<bool>& done) {
    return detail::change_later(impl(), removing_semaphore(impl()), done);
}

void semaphore::async_remove(executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_remove(done); });
}

} // namespace redlatch
