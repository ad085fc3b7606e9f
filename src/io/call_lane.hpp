// A lane that carries calls.
#pragma once

#include "base/function_ref.hpp"
#include "connection/multiplexer.hpp"
#include "connection/redirect.hpp"
#include "io/lane.hpp"
#include "locking/script.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace redlatch::io {

/// Thread-safe.
class call_lane {
public:
    call_lane(std::shared_ptr<reactor> reactor, lane::settings const& settings, lane::hooks to_tell);

    /// Stages and sends. With `will_wait`, the caller promises to wait on line() next. Where `*unless` is set, the call ends
    /// as closed instead: looked at under the lane's mutex, so that what is submitted after barrier() knows of it.
    void submit(connection::call_ptr const& call, bool will_wait, std::atomic<bool> const* unless = nullptr);
    /// Several in one write, in their order.
    void submit_all(std::span<connection::call_ptr const> calls, bool will_wait,
                    std::atomic<bool> const* unless = nullptr);
    /// Whatever other threads are just submitting is staged when this returns.
    void barrier() const;
    /// The caller does not wait any more. True: it may have run, or may run. `late`, if given, gets a late reply on the
    /// reactor.
    bool abandon(connection::call_ptr const& call, std::function<void(resp::value const&)> late = {});

    /// In a cluster: the lane of the node that a redirect of this one names.
    using other_lane = std::function<call_lane&(connection::redirect const&)>;
    void set_other_lane(other_lane find) { other_lane_ = std::move(find); }
    bool is_of_cluster() const noexcept { return other_lane_ != nullptr; }
    call_lane& other(connection::redirect const& to) const { return other_lane_(to); }

    /// See multiplexer.
    void retire(bool retired);
    void send_away(base::function_ref<bool(std::uint16_t)> gone);

    /// A new connection, if the present one is still that which gave this answer.
    void reconnect(connection::call const& answered, std::string const& reason);

    /// Whether the text of this script is to be sent by whoever undoes something and may not be there to hear NOSCRIPT: the
    /// first time on a connection. Later the server knows it.
    bool wants_text_of(locking::script const& script);

    lane& line() const noexcept { return *line_; }
    std::uint64_t commands() const;
    bool is_up() const;

private:
    std::shared_ptr<connection::multiplexer> traffic_;
    std::shared_ptr<lane> line_;
    other_lane other_lane_{};
    struct known_scripts;
    std::shared_ptr<known_scripts> const known_; ///< of this connection
};

} // namespace redlatch::io
