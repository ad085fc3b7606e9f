#include "api/counter_impl.hpp"
#include "locking/recipes/semaphore.hpp"

#include <redlatch/basic_semaphore.hpp>

#include <utility>

namespace redlatch {

using detail::counter_impl;
using detail::requested_change;
using locking::counter_request;

namespace {

detail::question<std::int64_t> counting_permits(counter_impl const& impl) {
    return detail::number_of(impl, "asking for the permits of " + impl.shown());
}

requested_change<bool> changing_permits(counter_impl const& impl, int change) {
    return {.about = "adding " + detail::permits_in_words(*impl.what, change),
            .amount = change,
            .compose = impl.what->how->add,
            .read = detail::reads_release(impl)};
}

requested_change<bool> setting_permits(counter_impl const& impl, int permits, std::optional<time_span> expiry) {
    detail::must_be_at_least(impl, "permits", 0, permits);
    if (expiry && expiry->count() < 1) detail::complain(impl, "expiry must be at least one millisecond");
    if (expiry && *expiry >= detail::longest_time) expiry.reset();
    return {.about = "setting " + impl.shown(),
            .amount = permits,
            .compose = [expiry](counter_request const& request) { return locking::semaphore::set(request, expiry); },
            .read = detail::reads_done(impl)};
}

} // namespace

std::int64_t basic_semaphore::available_permits() {
    return detail::ask_now(impl().core, counting_permits(impl()));
}

std::optional<outcome> basic_semaphore::start_available_permits(completion_ptr<std::int64_t>& done) {
    return detail::ask_later(impl().core, counting_permits(impl()), done);
}

void basic_semaphore::async_available_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler) {
    detail::with_handler<std::int64_t>(
        *impl().core, std::move(ex), std::move(handler),
        [this](completion_ptr<std::int64_t>& done) { return start_available_permits(done); });
}

bool basic_semaphore::try_set_permits(int permits, std::optional<time_span> expiry) {
    return detail::change_now(impl(), setting_permits(impl(), permits, expiry));
}

std::optional<outcome> basic_semaphore::start_try_set_permits(int permits, std::optional<time_span> expiry,
                                                              completion_ptr<bool>& done) {
    return detail::checked_change_later(
        impl(), [&] { return setting_permits(impl(), permits, expiry); }, done);
}

void basic_semaphore::async_try_set_permits(int permits, std::optional<time_span> expiry, executor ex,
                                            std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler), [&](completion_ptr<bool>& done) {
        return start_try_set_permits(permits, expiry, done);
    });
}

void basic_semaphore::add_permits(int change) {
    detail::change_now(impl(), changing_permits(impl(), change));
}

std::optional<outcome> basic_semaphore::start_add_permits(int change, completion_ptr<>& done) {
    return detail::change_later(impl(), changing_permits(impl(), change), done);
}

void basic_semaphore::async_add_permits(int change, executor ex, std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_add_permits(change, done); });
}

} // namespace redlatch
