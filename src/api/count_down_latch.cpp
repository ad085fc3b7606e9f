#include "api/counter_impl.hpp"
#include "locking/recipes/latch.hpp"

#include <redlatch/count_down_latch.hpp>
#include <redlatch/error.hpp>

#include <utility>

namespace redlatch {

namespace latch_calls = locking::latch;
using detail::counter_impl;
using detail::requested_change;

namespace {

detail::counter_wait_options latch_wait(wait_options const& options) {
    return {.wait = options.wait, .stop = options.stop};
}

requested_change<bool> setting_latch(counter_impl const& impl, int count) {
    detail::must_be_at_least(impl, "count", 1, count);
    return {.about = "setting " + impl.shown(),
            .amount = count,
            .compose = latch_calls::set,
            .read = detail::reads_done(impl)};
}

requested_change<bool> counting_latch_down(counter_impl const& impl) {
    return {
        .about = "counting down " + impl.shown(),
        .compose = latch_calls::count_down,
        .read = [which = impl.shown(), channel = impl.what->channel](resp::value const& reply) -> std::optional<bool> {
            if (!reply.is_integer() || reply.integer < -2) return std::nullopt;
            if (reply.integer == -2) detail::warn_that_nobody_was_told(which, channel);
            return reply.integer != -1;
        },
        .message = "0",
        .tells = [](resp::value const& reply) { return reply.is_integer() && reply.integer == 0; },
        .when_full = latch_calls::count_down};
}

detail::question<std::int64_t> counting_latch(counter_impl const& impl) {
    return detail::number_of(impl, "asking for the count of " + impl.shown());
}

} // namespace

// --- waiting

void count_down_latch::wait(wait_options const& options) {
    std::string message;
    if (auto const wrong = detail::wait_now(impl(), latch_wait(options), &message))
        detail::fail(wrong, std::move(message));
}

void count_down_latch::wait(wait_options const& options, std::error_code& ec) {
    if (moved_from()) return void(ec = errc::invalid_argument);
    ec = detail::wait_now(impl(), latch_wait(options), nullptr);
}

std::optional<outcome> count_down_latch::start_wait(wait_options const& options, completion_ptr<>& done) {
    return detail::wait_later(impl(), latch_wait(options), done);
}

void count_down_latch::async_wait(wait_options const& options, executor ex,
                                  std::function<void(std::error_code)> handler) {
    detail::with_handler<>(*impl().core, std::move(ex), std::move(handler),
                           [&](completion_ptr<>& done) { return start_wait(options, done); });
}

// --- the count

bool count_down_latch::try_set_count(int count) {
    return detail::change_now(impl(), setting_latch(impl(), count));
}

std::optional<outcome> count_down_latch::start_try_set_count(int count, completion_ptr<bool>& done) {
    return detail::checked_change_later(
        impl(), [&] { return setting_latch(impl(), count); }, done);
}

void count_down_latch::async_try_set_count(int count, executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [&](completion_ptr<bool>& done) { return start_try_set_count(count, done); });
}

bool count_down_latch::count_down() {
    return detail::change_now(impl(), counting_latch_down(impl()));
}

std::optional<outcome> count_down_latch::start_count_down(completion_ptr<bool>& done) {
    return detail::change_later(impl(), counting_latch_down(impl()), done);
}

void count_down_latch::async_count_down(executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_count_down(done); });
}

std::int64_t count_down_latch::count() {
    return detail::ask_now(impl().core, counting_latch(impl()));
}

std::optional<outcome> count_down_latch::start_count(completion_ptr<std::int64_t>& done) {
    return detail::ask_later(impl().core, counting_latch(impl()), done);
}

void count_down_latch::async_count(executor ex, std::function<void(std::error_code, std::int64_t)> handler) {
    detail::with_handler<std::int64_t>(*impl().core, std::move(ex), std::move(handler),
                                       [this](completion_ptr<std::int64_t>& done) { return start_count(done); });
}

} // namespace redlatch
