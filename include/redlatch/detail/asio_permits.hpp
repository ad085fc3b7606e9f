// Part of redlatch/asio.hpp: permit semaphores.
#pragma once

#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/permit_semaphore.hpp>
#include <redlatch/permits.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch {

/// Ends with (error, permits). As permit_semaphore::acquire.
template <class Token>
auto async_acquire(permit_semaphore semaphore, leased_permit_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, permits>(
        std::forward<Token>(token),
        [options](permit_semaphore& asked, completion_ptr<permits>& done) {
            return asked.start_acquire(options, done);
        },
        std::move(semaphore));
}
template <class Token> auto async_acquire(permit_semaphore semaphore, Token&& token) {
    return async_acquire(std::move(semaphore), leased_permit_options(), std::forward<Token>(token));
}

/// Ends with (error, std::optional<permits>). As permit_semaphore::try_acquire.
template <class Token>
auto async_try_acquire(permit_semaphore semaphore, leased_permit_options const& options, Token&& token) {
    return detail::asio_start<detail::tried_result, permits>(
        std::forward<Token>(token),
        [options](permit_semaphore& asked, completion_ptr<permits>& done) {
            return asked.start_try_acquire(options, done);
        },
        std::move(semaphore));
}
template <class Token> auto async_try_acquire(permit_semaphore semaphore, Token&& token) {
    return async_try_acquire(std::move(semaphore), leased_permit_options(), std::forward<Token>(token));
}

/// Ends with (error). As permits::release.
template <class Token> auto async_release(permits&& held, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [](permits& released, completion_ptr<>& done) { return released.start_release(done); }, std::move(held));
}

/// Ends with (error). As permit_semaphore::release.
template <class Token> auto async_release(permit_semaphore semaphore, std::vector<std::string> ids, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [ids = std::move(ids)](permit_semaphore& asked, completion_ptr<>& done) {
            return asked.start_release(ids, done);
        },
        std::move(semaphore));
}

/// Ends with (error, bool). As permit_semaphore::try_release: false, and no error, where one of them is not there.
template <class Token> auto async_try_release(permit_semaphore semaphore, std::vector<std::string> ids, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [ids = std::move(ids)](permit_semaphore& asked, completion_ptr<bool>& done) {
            return asked.start_try_release(ids, done);
        },
        std::move(semaphore));
}

/// Ends with (error, bool). As permit_semaphore::update_lease.
template <class Token>
auto async_update_lease(permit_semaphore semaphore, std::string id, std::optional<time_span> lease, Token&& token) {
    return detail::asio_start<detail::plain_result, bool>(
        std::forward<Token>(token),
        [id = std::move(id), lease](permit_semaphore& asked, completion_ptr<bool>& done) {
            return asked.start_update_lease(id, lease, done);
        },
        std::move(semaphore));
}

/// Ends with (error, std::optional<duration>). As permit_semaphore::lease_of.
template <class Token> auto async_lease_of(permit_semaphore semaphore, std::string id, Token&& token) {
    return detail::asio_start<detail::plain_result, std::optional<duration>>(
        std::forward<Token>(token),
        [id = std::move(id)](permit_semaphore& asked, completion_ptr<std::optional<duration>>& done) {
            return asked.start_lease_of(id, done);
        },
        std::move(semaphore));
}

/// Ends with (error, std::int64_t). As permit_semaphore::get_permits.
template <class Token> auto async_get_permits(permit_semaphore semaphore, Token&& token) {
    return detail::asio_start<detail::plain_result, std::int64_t>(
        std::forward<Token>(token),
        [](permit_semaphore& asked, completion_ptr<std::int64_t>& done) { return asked.start_get_permits(done); },
        std::move(semaphore));
}

/// Ends with (error, std::int64_t). As permit_semaphore::acquired_permits.
template <class Token> auto async_acquired_permits(permit_semaphore semaphore, Token&& token) {
    return detail::asio_start<detail::plain_result, std::int64_t>(
        std::forward<Token>(token),
        [](permit_semaphore& asked, completion_ptr<std::int64_t>& done) { return asked.start_acquired_permits(done); },
        std::move(semaphore));
}

/// Ends with (error, permit_info). As permit_semaphore::inspect.
template <class Token> auto async_inspect(permit_semaphore semaphore, Token&& token) {
    return detail::asio_start<detail::plain_result, permit_info>(
        std::forward<Token>(token),
        [](permit_semaphore& asked, completion_ptr<permit_info>& done) { return asked.start_inspect(done); },
        std::move(semaphore));
}

/// Ends with (error). As permit_semaphore::set_permits.
template <class Token> auto async_set_permits(permit_semaphore semaphore, int permits, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [permits](permit_semaphore& asked, completion_ptr<>& done) { return asked.start_set_permits(permits, done); },
        std::move(semaphore));
}

} // namespace redlatch
