// Many callers' calls on one connection: replies come in the order of the calls.
//
//     submit -> waiting -> staged -> answered          (connection up)
//                  ^          |
//                  +----------+  connection lost: nothing of it was sent -> waiting, as if new
//                                it may have run                         -> waiting, repeated behind a predecessor kill
//                                it was abandoned                        -> dropped
//                                it is for once                          -> closed
//     waiting -> closed              it is impatient, and the server cannot be reached
//     waiting -> answered            sent away: its node of a cluster has no slots any more, or its slot has moved
//                                the first of its two replies has come   -> answered, cut short
//
// Predecessor kill. A call that was written on a connection that then broke may still run later: order is certain within one
// connection and within none else. So a new connection to the same run of the server begins with CLIENT KILL ID <id> ADDR
// <address> for each predecessor that had unanswered calls; after its answer nothing of them runs any more, and since replies
// keep their order, the answer to a repeated call comes after that. Where the server refuses CLIENT KILL, or the call is
// repeated on another server, which has become the master, it has `late_copy_possible` set.
#pragma once

#include "base/function_ref.hpp"
#include "connection/call.hpp"
#include "connection/call_list.hpp"
#include "connection/traffic.hpp"

#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace redlatch::connection {

class multiplexer final : public traffic {
public:
    /// More predecessors than this to kill count as refused.
    static constexpr std::size_t most_predecessors = 16;

    /// Late replies of abandoned calls, for the reactor to look at.
    struct late_reply {
        std::function<void(resp::value const&)> handler;
        resp::value reply;
    };

    void submit(call_ptr const& call, base::instant now);
    /// Ends a call, that was not submitted, as closed.
    static void refuse(call& call);

    /// This node of a cluster does not count any more: what waits for it and what comes from now on is answered as if the node
    /// had said that its slot has moved. False: it counts again.
    void retire(bool retired, base::wake_list& woken);
    /// The same for what waits now for slots that are `gone`.
    void send_away(base::function_ref<bool(std::uint16_t)> gone, base::wake_list& woken);

    /// The caller does not wait any more. True: the call may have run, or may run later.
    bool abandon(call_ptr const& call);

    std::vector<late_reply> take_late() { return std::exchange(late_, {}); }
    bool has_late() const noexcept override { return !late_.empty(); }

    /// How many commands were staged in all.
    std::uint64_t commands() const noexcept { return commands_; }
    bool up() const noexcept { return up_; }

    void on_up(identity const& self, base::instant now, base::wake_list& woken) override;
    void on_down(base::instant now, base::wake_list& woken) noexcept override;
    bool on_value(resp::value&& incoming, base::instant now, base::wake_list& woken) override;
    void on_unreachable(base::wake_list& woken) override;
    void on_closed(base::wake_list& woken) override;
    /// The number of the present connection, from 1.
    std::uint64_t connection() const noexcept { return connection_; }
    bool expects_reply() const noexcept override { return !due_.empty(); }
    std::size_t due() const noexcept override { return due_.size(); }
    void stage_ping(base::instant now) override;

private:
    void stage(call_ptr const& call, base::instant now);
    void stage_predecessor_kills(base::instant now);
    void on_kill_answer(resp::value const& answer);
    void keep(call_ptr const& call);
    static void send_away(call& call, base::wake_list& woken);
    static void finish(call& call, call::state state, base::wake_list& woken);

    bool up_ = false;
    bool some_are_impatient_ = false; ///< of those that wait
    bool away_ = false;               ///< there is no connection, and an attempt to make one has failed
    bool interrupted_ = false;        ///< a connection was lost, or not to be had, and there is no new one yet
    bool closed_ = false;
    bool retired_ = false;
    std::uint64_t connection_ = 0;
    identity self_;
    call_list waiting_; ///< as many as there are callers: each waits for its own, until its own deadline
    std::deque<call_ptr, base::recycling<call_ptr>> due_;
    std::vector<identity> predecessors_; ///< of which something may still run
    std::size_t kills_due_ = 0;          ///< the first so many of due_ are predecessor kills
    bool late_copies_possible_ = false;  ///< on this connection
    bool forgot_predecessors_ = false;
    std::vector<late_reply> late_;
    std::uint64_t commands_ = 0;
};

} // namespace redlatch::connection
