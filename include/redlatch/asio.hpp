// The locks with the completion tokens of Boost.Asio: coroutines, futures, callbacks, cancellation.
//
//     boost::asio::awaitable<void> work(redlatch::reentrant_lock orders) {
//         redlatch::acquire_options const options{.wait = 2s};
//         redlatch::hold held = co_await redlatch::async_acquire(orders, options, boost::asio::use_awaitable);
//         charge(held.lost());
//         co_await redlatch::async_release(std::move(held), boost::asio::use_awaitable);
//     }
//
// Link redlatch::asio (find_package(redlatch COMPONENTS asio)); needs Boost 1.81. The operations run on the client's own I/O
// thread, or, for a client of make_client(io_context), on the context.
//
// Every operation: same deadlines, loss states and errors as its blocking twin. It begins when Asio initiates it - with
// use_awaitable when it is awaited -, never ends within that call, and takes what it needs by value.
//
//  - Owner. A coroutine may resume on another thread. So an owner that is a thread - also the default - is replaced by a
//    fresh one for each call; name an owner of your own where several acquisitions belong together.
//  - Cancellation of any type, through the handler's slot, ends acquisitions and questions at once, and whatever an
//    acquisition got all the same is given back: after `co_await (acquire || timer)` nothing is left behind. Releases are not
//    cancelled; they end within config::timeout. options.stop works too. A hold, permits or a leadership that come just before
//    the timer give themselves back when `||` drops them. Permits of a plain semaphore are no object, and stay taken then: give
//    permit_options::wait in place of a timer, or use a permit_semaphore.
//  - Errors. Handlers get boost::system::error_code: compare it with redlatch::errc, or convert it to std::error_code. Tokens
//    that throw (use_awaitable, use_future, bound or not) throw redlatch::error with its full message instead; as_tuple,
//    redirect_error and deferred count as handlers.
//  - try_acquire. Busy is no error: tokens that throw give an empty optional for busy and timed_out. Handlers get the code too,
//    but of a plain semaphore, whose result is a bool.
//  - Loss. async_wait_lost(hold, token) ends when a hold, a multi_hold, permits or a leadership are lost. A coroutine that is
//    to end then: run_while_held and async_run_as_leader of redlatch/asio_work.hpp.
//  - Executor, allocator and cancellation slot of the handler are honoured: detail/asio_completion.hpp. A handler that names
//    no executor runs on the client's context, or on its notifier thread where it has none. What a handler names outlives the
//    operation: before a context is destroyed whose handlers wait for a client that another one runs, close that client.
//    async_wait_lost and async_connect(context, ...) are discarded with their context.
//
// g++ 12 miscompiles some operands of co_await: a braced list does not compile, a temporary with a destructor is destroyed
// twice. Give operands a name first, as above. clang 14 cannot compile coroutine templates with -fsanitize=undefined.
//
// Thread safety: as that of the objects; any thread may start operations, also within handlers.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/client.hpp>
#include <redlatch/detail/asio_completion.hpp>
#include <redlatch/detail/asio_connect.hpp>  // IWYU pragma: export
#include <redlatch/detail/asio_counters.hpp> // IWYU pragma: export
#include <redlatch/detail/asio_election.hpp> // IWYU pragma: export
#include <redlatch/detail/asio_loop.hpp>
#include <redlatch/detail/asio_loss.hpp>        // IWYU pragma: export
#include <redlatch/detail/asio_multi_locks.hpp> // IWYU pragma: export
#include <redlatch/detail/asio_permits.hpp>     // IWYU pragma: export
#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/options.hpp>

#include <boost/asio/async_result.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch {

/// Ends with (error, hold). As basic_lock::acquire.
template <class Token> auto async_acquire(basic_lock lock, acquire_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, hold>(
        std::forward<Token>(token),
        [options](basic_lock& asked, completion_ptr<hold>& done) {
            return asked.start_acquire(detail::without_thread_as_owner(options), done);
        },
        std::move(lock));
}
template <class Token> auto async_acquire(basic_lock lock, Token&& token) {
    return async_acquire(std::move(lock), acquire_options(), std::forward<Token>(token));
}

/// Ends with (error, std::optional<hold>). As basic_lock::try_acquire.
template <class Token> auto async_try_acquire(basic_lock lock, acquire_options const& options, Token&& token) {
    return detail::asio_start<detail::tried_result, hold>(
        std::forward<Token>(token),
        [options](basic_lock& asked, completion_ptr<hold>& done) {
            return asked.start_try_acquire(detail::without_thread_as_owner(options), done);
        },
        std::move(lock));
}
template <class Token> auto async_try_acquire(basic_lock lock, Token&& token) {
    return async_try_acquire(std::move(lock), acquire_options(), std::forward<Token>(token));
}

/// Ends with (error). As hold::release; the hold is taken over. An operation that is never begun releases all the same.
template <class Token> auto async_release(hold&& held, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token), [](hold& released, completion_ptr<>& done) { return released.start_release(done); },
        std::move(held));
}

/// Ends with (error, bool). As basic_lock::force_unlock.
template <class Token> auto async_force_unlock(basic_lock lock, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [](basic_lock& asked, completion_ptr<bool>& done) { return asked.start_force_unlock(done); }, std::move(lock));
}

/// Ends with (error, bool). As basic_lock::is_locked.
template <class Token> auto async_is_locked(basic_lock lock, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [](basic_lock& asked, completion_ptr<bool>& done) { return asked.start_is_locked(done); }, std::move(lock));
}

/// Ends with (error, std::optional<duration>). As basic_lock::remaining_lease.
template <class Token> auto async_remaining_lease(basic_lock lock, Token&& token) {
    using answer = std::optional<duration>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [](basic_lock& asked, completion_ptr<answer>& done) { return asked.start_remaining_lease(done); },
        std::move(lock));
}

/// Ends with (error, lock_info). As basic_lock::inspect.
template <class Token> auto async_inspect(basic_lock lock, look_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, lock_info>(
        std::forward<Token>(token),
        [options](basic_lock& asked, completion_ptr<lock_info>& done) { return asked.start_inspect(done, options); },
        std::move(lock));
}
template <class Token> auto async_inspect(basic_lock lock, Token&& token) {
    return async_inspect(std::move(lock), look_options(), std::forward<Token>(token));
}

/// Ends with (error, std::vector<lock_info>). As client::list_locks.
template <class Token>
auto async_list_locks(client client, std::string pattern, look_options const& options, Token&& token) {
    using answer = std::vector<lock_info>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [pattern = std::move(pattern), options](redlatch::client& asked, completion_ptr<answer>& done) {
            return asked.start_list_locks(pattern, done, options);
        },
        std::move(client));
}
template <class Token> auto async_list_locks(client client, std::string pattern, Token&& token) {
    return async_list_locks(std::move(client), std::move(pattern), look_options(), std::forward<Token>(token));
}

/// Ends with (error, std::vector<permit_info>). As client::list_permit_semaphores.
template <class Token>
auto async_list_permit_semaphores(client client, std::string pattern, permit_visit_options const& options,
                                  Token&& token) {
    using answer = std::vector<permit_info>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [pattern = std::move(pattern), options](redlatch::client& asked, completion_ptr<answer>& done) {
            return asked.start_list_permit_semaphores(pattern, done, options);
        },
        std::move(client));
}
template <class Token> auto async_list_permit_semaphores(client client, std::string pattern, Token&& token) {
    return async_list_permit_semaphores(std::move(client), std::move(pattern), permit_visit_options(),
                                        std::forward<Token>(token));
}

/// Ends with (error, std::vector<counter_info>). As client::list_counters.
template <class Token> auto async_list_counters(client client, std::string pattern, Token&& token) {
    using answer = std::vector<counter_info>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [pattern = std::move(pattern)](redlatch::client& asked, completion_ptr<answer>& done) {
            return asked.start_list_counters(pattern, done);
        },
        std::move(client));
}

/// Ends with (error, server_info). As client::ping.
template <class Token> auto async_ping(client client, Token&& token) {
    return detail::asio_start<detail::plain_result, server_info>(
        std::forward<Token>(token),
        [](redlatch::client& asked, completion_ptr<server_info>& done) { return asked.start_ping(done); },
        std::move(client));
}

/// Ends with (error, server_setup). As client::inspect_servers.
template <class Token>
auto async_inspect_servers(client client, inspect_servers_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, server_setup>(
        std::forward<Token>(token),
        [options](redlatch::client& asked, completion_ptr<server_setup>& done) {
            return asked.start_inspect_servers(done, options);
        },
        std::move(client));
}
template <class Token> auto async_inspect_servers(client client, Token&& token) {
    return async_inspect_servers(std::move(client), inspect_servers_options(), std::forward<Token>(token));
}

} // namespace redlatch
