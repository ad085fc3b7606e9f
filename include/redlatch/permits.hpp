// Permits that one has taken of a permit semaphore.
//
//     redlatch::permits mine = semaphore.acquire({.permits = 2, .lease = 30s});
//     work(mine.valid_until());
//                                             // given back at the end of the scope
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/export.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/options.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

namespace redlatch {

namespace detail {
struct permits_access;
struct permits_state;
} // namespace detail

/// One acquisition of permits, all of which are given back together when it is destroyed. Move-only, not tied to a thread.
///
/// Thread safety: distinct objects: safe. Shared objects: const members are safe, the others not.
/// Object lifetimes: may outlive the semaphore and the client. client::close() does not give permits back, and ends renewal:
/// they stay taken until their lease is over, or somebody releases them by their ids.
class [[nodiscard]] REDLATCH_EXPORT permits {
public:
    permits() noexcept = default;
    permits(permits&&) noexcept = default;
    permits& operator=(permits&& other) noexcept;
    permits(permits const&) = delete;
    permits& operator=(permits const&) = delete;

    /// Gives them back as release(std::error_code&) does and reports failures to the client's listener; never throws. Blocks
    /// for at most min(config::timeout, remaining validity); on a thread of the client itself, or of the loop that runs it, and
    /// with config::detached_unlock it does not block.
    ~permits();

    /// They are held: taken, not given back, and their lease is not over.
    explicit operator bool() const noexcept { return status() == hold_status::held; }
    /// none, held, lost or released. No round trip: what another process has done to them by their ids, or a failover has
    /// forgotten, is noticed with the next renewal, and when a connection is made anew.
    hold_status status() const noexcept;
    /// A token that is stopped when the permits are lost, before their lease can be over on the server. Its callbacks run on
    /// the client's notifier thread and should be short. Once the client is closed it is stopped no more. That of an empty
    /// object is never stopped; in the child of a fork it is stopped from the start.
    std::stop_token lost() const;
    /// Until when they are certainly taken, counted from before the request was sent, less a margin. Taken for ever:
    /// time_point::max(). Moves on with each renewal, not with permit_semaphore::update_lease(). Not held: a time
    /// that is over.
    lease_clock::time_point valid_until() const noexcept;
    /// 32 hexadecimal characters for each permit, which any process may release by. None: empty.
    std::vector<std::string> ids() const;
    /// How many replicas had confirmed them when they were acquired, where their replica_policy asked. None: it did not.
    std::optional<int> confirmed_by() const noexcept;
    /// The name of the semaphore.
    std::string const& semaphore_name() const noexcept;

    /// Gives them back, all of them: one round trip. Blocks for at most min(config::timeout, remaining validity).
    /// Throws error: lease_lost (one of them is not there any more: its lease is over, or it was released by its id; the
    /// others are given back in the background), outcome_unknown and disconnected (the client goes on giving back in the
    /// background), server_refused, wrong_type, bad_reply, closed, forked, wrong_thread. An empty or released one: no effect.
    void release();
    void release(std::error_code& ec) noexcept;
    /// As release(), not waited for: a failure goes to the client's listener.
    void release_detached() noexcept;
    /// As release(); the handler gets the outcome on the executor: of a released one success, in the child of a fork
    /// forked. Never called from within this function. An empty one: throws error(invalid_argument).
    void async_release(executor ex, std::function<void(std::error_code)> handler);
    /// As release(); see completion.hpp. They count as released from now on.
    [[nodiscard]] std::optional<outcome> start_release(completion_ptr<>& done);

    /// Gives up the responsibility: nothing is renewed any more, and they stay taken until they are released
    /// by these ids, or their lease is over. No round trip. None: there was nothing to give up.
    std::vector<std::string> detach();

    /// The loop that runs its client; null: an empty one, or a client with a thread of its own.
    user_loop const* driven_by() const noexcept;

private:
    friend struct detail::permits_access;
    explicit permits(std::shared_ptr<detail::permits_state> state) noexcept;
    std::shared_ptr<detail::permits_state> state_;
};

} // namespace redlatch
