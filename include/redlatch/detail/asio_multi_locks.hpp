// Part of redlatch/asio.hpp: multi locks and red locks.
#pragma once

#include <redlatch/basic_multi_lock.hpp>
#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/multi_hold.hpp>
#include <redlatch/options.hpp>

#include <utility>
#include <vector>

namespace redlatch {

/// Ends with (error, multi_hold). As basic_multi_lock::acquire.
template <class Token> auto async_acquire(basic_multi_lock lock, acquire_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, multi_hold>(
        std::forward<Token>(token),
        [options](basic_multi_lock& asked, completion_ptr<multi_hold>& done) {
            return asked.start_acquire(detail::without_thread_as_owner(options), done);
        },
        std::move(lock));
}
template <class Token> auto async_acquire(basic_multi_lock lock, Token&& token) {
    return async_acquire(std::move(lock), acquire_options(), std::forward<Token>(token));
}

/// Ends with (error, std::optional<multi_hold>). As basic_multi_lock::try_acquire.
template <class Token> auto async_try_acquire(basic_multi_lock lock, acquire_options const& options, Token&& token) {
    return detail::asio_start<detail::tried_result, multi_hold>(
        std::forward<Token>(token),
        [options](basic_multi_lock& asked, completion_ptr<multi_hold>& done) {
            return asked.start_try_acquire(detail::without_thread_as_owner(options), done);
        },
        std::move(lock));
}
template <class Token> auto async_try_acquire(basic_multi_lock lock, Token&& token) {
    return async_try_acquire(std::move(lock), acquire_options(), std::forward<Token>(token));
}

/// Ends with (error). As multi_hold::release; the hold is taken over. An operation that is never begun releases all the same.
template <class Token> auto async_release(multi_hold&& held, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [](multi_hold& released, completion_ptr<>& done) { return released.start_release(done); }, std::move(held));
}

/// Ends with (error, bool). As basic_multi_lock::force_unlock.
template <class Token> auto async_force_unlock(basic_multi_lock lock, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [](basic_multi_lock& asked, completion_ptr<bool>& done) { return asked.start_force_unlock(done); },
        std::move(lock));
}

/// Ends with (error, std::vector<lock_info>). As basic_multi_lock::inspect.
template <class Token> auto async_inspect(basic_multi_lock lock, look_options const& options, Token&& token) {
    using answer = std::vector<lock_info>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [options](basic_multi_lock& asked, completion_ptr<answer>& done) { return asked.start_inspect(done, options); },
        std::move(lock));
}
template <class Token> auto async_inspect(basic_multi_lock lock, Token&& token) {
    return async_inspect(std::move(lock), look_options(), std::forward<Token>(token));
}

} // namespace redlatch
