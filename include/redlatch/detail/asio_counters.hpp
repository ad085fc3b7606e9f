// Part of redlatch/asio.hpp: semaphores and latches.
#pragma once

#include <redlatch/basic_counter.hpp>
#include <redlatch/basic_semaphore.hpp>
#include <redlatch/count_down_latch.hpp>
#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/semaphore.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace redlatch {

/// Ends with (error). As semaphore::acquire. Who drops a success has to release the permits: `acquire || timer` may drop one.
template <class Token> auto async_acquire(semaphore semaphore, permit_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [options](redlatch::semaphore& asked, completion_ptr<>& done) { return asked.start_acquire(options, done); },
        std::move(semaphore));
}
template <class Token> auto async_acquire(semaphore semaphore, Token&& token) {
    return async_acquire(std::move(semaphore), permit_options(), std::forward<Token>(token));
}

/// Ends with (error, bool). As semaphore::try_acquire: busy and timed_out are false, and no error. Who drops a success has to
/// release the permits.
template <class Token> auto async_try_acquire(semaphore semaphore, permit_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [options](redlatch::semaphore& asked, completion_ptr<bool>& done) {
            return asked.start_try_acquire(options, done);
        },
        std::move(semaphore));
}
template <class Token> auto async_try_acquire(semaphore semaphore, Token&& token) {
    return async_try_acquire(std::move(semaphore), permit_options(), std::forward<Token>(token));
}

/// Ends with (error). As semaphore::release.
template <class Token> auto async_release(semaphore semaphore, int permits, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [permits](redlatch::semaphore& asked, completion_ptr<>& done) { return asked.start_release(permits, done); },
        std::move(semaphore));
}

/// Ends with (error, bool). As semaphore::release_if_exists.
template <class Token> auto async_release_if_exists(semaphore semaphore, int permits, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [permits](redlatch::semaphore& asked, completion_ptr<bool>& done) {
            return asked.start_release_if_exists(permits, done);
        },
        std::move(semaphore));
}

/// Ends with (error, std::int64_t). As basic_semaphore::available_permits.
template <class Token> auto async_available_permits(basic_semaphore semaphore, Token&& token) {
    return detail::asio_start<detail::plain_result, std::int64_t>(
        std::forward<Token>(token),
        [](basic_semaphore& asked, completion_ptr<std::int64_t>& done) { return asked.start_available_permits(done); },
        std::move(semaphore));
}

/// Ends with (error, std::int64_t). As semaphore::drain_permits.
template <class Token> auto async_drain_permits(semaphore semaphore, Token&& token) {
    return detail::asio_start<detail::plain_result, std::int64_t>(
        std::forward<Token>(token),
        [](redlatch::semaphore& asked, completion_ptr<std::int64_t>& done) { return asked.start_drain_permits(done); },
        std::move(semaphore));
}

/// Ends with (error, bool). As basic_semaphore::try_set_permits.
template <class Token>
auto async_try_set_permits(basic_semaphore semaphore, int permits, std::optional<time_span> expiry, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [permits, expiry](basic_semaphore& asked, completion_ptr<bool>& done) {
            return asked.start_try_set_permits(permits, expiry, done);
        },
        std::move(semaphore));
}

/// Ends with (error). As basic_semaphore::add_permits.
template <class Token> auto async_add_permits(basic_semaphore semaphore, int change, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [change](basic_semaphore& asked, completion_ptr<>& done) { return asked.start_add_permits(change, done); },
        std::move(semaphore));
}

/// Ends with (error, bool). As basic_counter::remove.
template <class Token> auto async_remove(basic_counter counter, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [](basic_counter& asked, completion_ptr<bool>& done) { return asked.start_remove(done); }, std::move(counter));
}

/// Ends with (error). As count_down_latch::wait.
template <class Token> auto async_wait(count_down_latch latch, wait_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [options](count_down_latch& asked, completion_ptr<>& done) { return asked.start_wait(options, done); },
        std::move(latch));
}
template <class Token> auto async_wait(count_down_latch latch, Token&& token) {
    return async_wait(std::move(latch), wait_options(), std::forward<Token>(token));
}

/// Ends with (error, bool). As count_down_latch::try_set_count.
template <class Token> auto async_try_set_count(count_down_latch latch, int count, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [count](count_down_latch& asked, completion_ptr<bool>& done) { return asked.start_try_set_count(count, done); },
        std::move(latch));
}

/// Ends with (error, bool). As count_down_latch::count_down.
template <class Token> auto async_count_down(count_down_latch latch, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [](count_down_latch& asked, completion_ptr<bool>& done) { return asked.start_count_down(done); },
        std::move(latch));
}

/// Ends with (error, std::int64_t). As count_down_latch::count.
template <class Token> auto async_count(count_down_latch latch, Token&& token) {
    return detail::asio_start<detail::plain_result, std::int64_t>(
        std::forward<Token>(token),
        [](count_down_latch& asked, completion_ptr<std::int64_t>& done) { return asked.start_count(done); },
        std::move(latch));
}

} // namespace redlatch
