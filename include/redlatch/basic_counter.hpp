// What semaphores and latches have in common: a number on the server that clients change and wait for.
// Wire format: protocol section 7.
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/options.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace redlatch {

namespace detail {
struct counter_impl;
}

/// Cheap to copy; copies are the same semaphore or latch. Made by client::get_….
///
/// Thread safety: distinct objects: safe. Shared objects: safe.
/// Object lifetimes: may outlive the client; every call then fails with errc::closed. One that was moved from refuses every
/// call with errc::invalid_argument.
/// Changes cannot be cancelled. Every call that does not wait blocks for at most config::timeout and throws error:
/// disconnected, outcome_unknown (see counter_options), server_refused, wrong_type, bad_reply, invalid_argument, closed,
/// forked, wrong_thread. std::bad_alloc: of a change nobody knows whether it was done, as after outcome_unknown.
/// Calls that take or wait also throw std::system_error(resource_unavailable_try_again): the client's I/O thread cannot be
/// started; nothing was taken.
/// Forms with a handler: as of basic_lock.
class REDLATCH_EXPORT basic_counter {
public:
    /// Deletes it; false: it was not set. Those who wait for a latch go on, those who wait for permits go on waiting. One round
    /// trip.
    bool remove();
    void async_remove(executor ex, std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_remove(completion_ptr<bool>& done);

    std::string const& name() const noexcept;
    /// The loop that runs its client; null: a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

protected:
    explicit basic_counter(std::shared_ptr<detail::counter_impl> impl) noexcept;
    /// Throws error(invalid_argument) where it was moved from.
    detail::counter_impl const& impl() const;
    bool moved_from() const noexcept { return impl_ == nullptr; }

private:
    std::shared_ptr<detail::counter_impl> impl_;
};

} // namespace redlatch
