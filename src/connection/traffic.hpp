// What travels on a lane: calls and replies, or subscriptions and messages.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "connection/identity.hpp"
#include "connection/missing_right.hpp"
#include "resp/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::connection {

/// The bytes that wait to be sent on the present connection, and how far they got.
class outbox {
public:
    bool empty() const noexcept { return staged_.empty(); }
    std::size_t waiting() const noexcept { return staged_.size(); }
    /// Where the next staged byte will stand in the stream of this connection.
    std::uint64_t position() const noexcept { return end_; }
    /// Bytes before this position may have been sent.
    std::uint64_t handed() const noexcept { return handed_; }

    /// stage() of so many bytes will not fail.
    void make_room(std::size_t bytes) { staged_.reserve(staged_.size() + bytes); }
    void stage(std::string_view bytes) {
        staged_.append(bytes);
        end_ += bytes.size();
    }
    /// Swaps everything staged into `out` (which must be empty) and counts it as handed over.
    void take(std::string& out) {
        out.swap(staged_);
        handed_ = end_;
    }
    /// The operating system did not take the last `bytes` of what was handed over.
    void not_taken(std::size_t bytes) noexcept { handed_ -= bytes; }
    /// They are tried again.
    void tried_again(std::size_t bytes) noexcept { handed_ += bytes; }
    void reset() noexcept {
        staged_.clear();
        end_ = handed_ = 0;
    }

private:
    std::string staged_;
    std::uint64_t end_ = 0;
    std::uint64_t handed_ = 0;
};

/// A protocol on a lane. Every member is called under the lane's mutex.
class traffic {
public:
    virtual ~traffic() = default;

    /// A connection is ready: stage what must come first.
    virtual void on_up(identity const& self, base::instant now, base::wake_list& woken) = 0;
    /// The connection is lost; the outbox still tells what may have been sent.
    virtual void on_down(base::instant now, base::wake_list& woken) noexcept = 0;
    /// A reply or message. False: it makes no sense, and the connection must go.
    virtual bool on_value(resp::value&& incoming, base::instant now, base::wake_list& woken) = 0;
    /// There is no connection, and the server is known to be away: an attempt to reach it has failed, or it fell silent.
    virtual void on_unreachable(base::wake_list&) {}
    /// The lane was closed for good.
    virtual void on_closed(base::wake_list& woken) = 0;
    /// Something sent is unanswered: silence is suspicious.
    virtual bool expects_reply() const noexcept = 0;
    /// Messages come by themselves: somebody has to look now and then even when no answer is due.
    virtual bool listens() const noexcept { return false; }
    /// And at once: somebody is to be woken by one who does not read for himself.
    virtual bool has_sleepers() const noexcept { return false; }
    /// How many answers are due.
    virtual std::size_t due() const noexcept = 0;
    /// Answers arrived that are for the reactor to look at.
    virtual bool has_late() const noexcept { return false; }
    /// Stages a probe of an idle connection.
    virtual void stage_ping(base::instant now) = 0;

    outbox out;
    /// Of commands of the connection's own: for the log.
    std::vector<missing_right> missing_rights;
};

} // namespace redlatch::connection
