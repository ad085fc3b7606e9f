// Any order of calls, partial writes, replies, broken connections, restarts, refused kills and abandoned calls, with a model
// of a server that knows that the bytes of a broken connection may still run until that connection is killed or the server
// restarts: every call ends once and with its own reply or replies, what was sent before is repeated behind its kills, but
// for a call of two commands whose first one was answered, `late_copy_possible` is right, and nothing that was abandoned
// is sent again.
#include "check.hpp"
#include "connection/multiplexer.hpp"
#include "decisions.hpp"
#include "replies.hpp"
#include "resp/command.hpp"
#include "sleeper.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace redlatch::fuzz {
namespace {

using connection::call;
using connection::call_ptr;

class many_callers {
public:
    explicit many_callers(decisions from) : next_(from) {}

    void run() {
        while (next_.more() && !closed_) {
            now_ += std::chrono::milliseconds(1);
            step();
            look();
        }
        if (!closed_) settle();
        if (!closed_) close();
        look();
    }

private:
    struct caller {
        std::uint64_t number = 0;
        call_ptr which{};
        sleeper_ptr who = std::make_shared<sleeper>();
        bool answered_half = false;       ///< the first of its two commands, on this connection
        std::set<std::int64_t> sent_on{}; ///< connections that got a part of it, or may have
        bool given_up = false;
        bool wants_reply = false; ///< although it was given up
        bool gone = false;        ///< answered, or dropped with its connection
    };

    void step() {
        switch (next_.below(14)) {
        case 0:
        case 1:
        case 2: return submit();
        case 3:
        case 4: return send();
        case 5:
        case 6:
        case 7: return answer();
        case 8: return abandon();
        case 9: return lanes_.stage_ping(now_);
        case 10: return up_ && lanes_.due() == 0 && next_.one_in(4) ? babble() : answer();
        case 11: return next_.one_in(16) ? close() : send();
        default: return up_ ? lose() : connect();
        }
    }

    // --- callers

    void submit() {
        auto const n = ++last_;
        auto& one = callers_[n];
        one.number = n;
        one.which = std::make_shared<call>();
        one.which->bytes = resp::command("DO", std::to_string(n));
        if (next_.one_in(3)) {
            resp::append_command(one.which->bytes, {"THEN", std::to_string(n)});
            one.which->replies = 2;
        }
        one.which->waker = one.who;
        one.which->once = next_.one_in(4);
        lanes_.submit(one.which, now_);
        check(one.which->status.load()
                  == (closed_ ? call::state::closed
                      : up_   ? call::state::staged
                              : call::state::waiting),
              "a call is staged at once where there is a connection");
    }

    void abandon() {
        if (callers_.empty()) return;
        auto& one = std::next(callers_.begin(), static_cast<std::ptrdiff_t>(next_.below(callers_.size())))->second;
        if (one.given_up || one.which->finished()) return;
        one.wants_reply = next_.one_in(2);
        if (one.wants_reply)
            one.which->late = [n = one.number](resp::value const& reply) {
                check(reply.text == std::to_string(n), "a late reply is that of its call");
            };
        bool const half = one.answered_half;
        bool const waiting = one.which->status.load() == call::state::waiting;
        bool const may_run = lanes_.abandon(one.which);
        check(may_run == (!waiting || !one.sent_on.empty()), "it says whether a call that is given up may run");
        check(one.which->cut_short == half, "and whether the first of its commands has run");
        one.given_up = true;
        one.gone = waiting;
    }

    // --- the connection

    void send() {
        if (!up_) return;
        if (kept_ > 0) { // the operating system takes what it did not take before
            lanes_.out.tried_again(kept_);
            to_send_ = std::exchange(kept_bytes_, {});
            kept_ = 0;
        } else {
            to_send_.clear();
            if (!lanes_.out.empty()) lanes_.out.take(to_send_);
        }
        if (next_.one_in(4) && !to_send_.empty()) {
            kept_ = 1 + next_.below(to_send_.size());
            lanes_.out.not_taken(kept_);
            kept_bytes_ = to_send_.substr(to_send_.size() - kept_);
            to_send_.resize(to_send_.size() - kept_);
        }
        arrive(to_send_);
    }

    void arrive(std::string_view bytes) {
        for (auto& command : sent_.take(bytes)) {
            if (command[0] == "CLIENT") {
                check(!began_, "predecessor kills come first on a new connection");
                check(command.size() == 6 && command[1] == "KILL" && command[2] == "ID" && command[4] == "ADDR",
                      "a predecessor kill names a connection by id and address");
                auto const id = number_in(command[3]);
                check(id != connection_ && command[5] == address(id), "a predecessor kill is for a predecessor");
            } else if (command[0] == "DO") {
                began_ = true;
                auto const n = static_cast<std::uint64_t>(number_in(command[1]));
                check(n > last_arrived_, "on one connection calls come in the order in which they were submitted");
                last_arrived_ = n;
                auto const found = callers_.find(n);
                check(found != callers_.end() && !found->second.gone, "what has ended is not sent again");
            } else if (command[0] == "THEN") {
                check(static_cast<std::uint64_t>(number_in(command[1])) == last_arrived_,
                      "the second command of a call comes right behind the first");
            } else {
                began_ = true;
            }
            arrived_.push_back(std::move(command));
        }
    }
    static std::int64_t number_in(std::string const& digits) {
        std::int64_t n = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), n);
        return n;
    }
    static std::string address(std::int64_t id) { return "127.0.0.1:" + std::to_string(40'000 + id); }

    void connect() {
        if (next_.one_in(8)) { // the server restarted: nothing of its former connections runs any more
            ++run_;
            may_run_.clear();
        }
        ++connection_;
        connection::identity self{connection_, address(connection_), "run" + std::to_string(run_), "redis", "7.0.15"};
        if (next_.one_in(8)) {
            self = {}; // the server does not tell
            doubts_ = true;
        }
        base::wake_list woken;
        up_ = true;
        began_ = false;
        last_arrived_ = 0;
        sent_ = {};
        arrived_.clear();
        kept_ = 0;
        kept_bytes_.clear();
        auto const too_late = open_ones_for_once();
        lanes_.on_up(self, now_, woken);
        are_closed(too_late, woken);
        for (auto const& [n, one] : callers_)
            check(one.gone || one.which->finished() || one.which->status.load() == call::state::staged,
                  "a new connection takes all that waits");
    }

    void lose() {
        bool left = false;
        for (auto& [n, one] : callers_) {
            if (one.gone || one.which->status.load() != call::state::staged) continue;
            if (one.which->begin < lanes_.out.handed()) {
                one.sent_on.insert(connection_);
                left = true;
            }
            if (one.given_up) one.gone = true;
        }
        if (left) may_run_.insert(connection_);
        if (may_run_.size() > connection::multiplexer::most_predecessors) doubts_ = true;
        base::wake_list woken;
        auto const interrupted = open_ones_for_once();
        auto const cut_short = half_answered(interrupted);
        lanes_.on_down(now_, woken);
        up_ = false;
        are_closed(interrupted, woken, cut_short);
        check(lanes_.due() == 0 && lanes_.out.empty(), "nothing is due or staged without a connection");
        for (auto const& [n, one] : callers_)
            check(one.gone || one.which->finished() || one.which->status.load() == call::state::waiting,
                  "what somebody waits for waits for the next connection");
    }

    std::set<std::uint64_t> open_ones_for_once() {
        std::set<std::uint64_t> open;
        for (auto const& [n, one] : callers_)
            if (one.which->once && !one.which->finished() && !one.given_up) open.insert(n);
        return open;
    }

    /// Those whose first command has run, and must not run again.
    std::set<std::uint64_t> half_answered(std::set<std::uint64_t> const& but) const {
        std::set<std::uint64_t> half;
        for (auto const& [n, one] : callers_)
            if (one.answered_half && !one.which->finished() && !one.given_up && !but.contains(n)) half.insert(n);
        return half;
    }

    /// Calls for once end with their connection, and with one that they waited for, and so do those that are half done; all
    /// others go on.
    void are_closed(std::set<std::uint64_t> const& which, base::wake_list& woken,
                    std::set<std::uint64_t> const& cut_short = {}) {
        forget_wakes();
        woken.wake_all();
        for (auto& [n, one] : callers_) {
            bool const ends = which.contains(n);
            bool const half = cut_short.contains(n);
            check(one.who->woken == (ends || half ? 1 : 0),
                  "who calls for once, or is half done, is told of the connection, nobody else");
            check(!ends || one.which->status.load() == call::state::closed, "and is told that it is over");
            check(!half || (one.which->status.load() == call::state::answered && one.which->cut_short),
                  "or that it is half done");
            check(!half || one.which->reply.text == std::to_string(n), "and what the first answer was");
            if (ends || half) one.gone = true;
            one.answered_half = false;
        }
    }

    // --- the server

    void answer() {
        if (!up_ || arrived_.empty()) return;
        auto const command = arrived_.front();
        arrived_.pop_front();
        if (command[0] == "CLIENT") {
            bool const refused = next_.one_in(6);
            if (refused)
                doubts_ = true;
            else
                may_run_.erase(number_in(command[3]));
            return reply(refused ? error("NOPERM no") : integer(next_.one_in(2) ? 1 : 0), nullptr);
        }
        if (command[0] == "PING") return reply(text("PONG", resp::value::kind::status), nullptr);
        auto& one = callers_.at(static_cast<std::uint64_t>(number_in(command[1])));
        if (command[0] == "DO" && one.which->replies == 2) {
            one.answered_half = true;
            reply(text(command[1]), nullptr);
            check(!one.which->finished(), "half an answer is none");
            return;
        }
        // Whoever left after half an answer gets the other half, if any.
        reply(text(command[1]), &one);
        if (one.given_up) return;
        check(one.which->status.load() == call::state::answered && one.which->reply.text == command[1],
              "a call gets its own reply");
        check(one.which->replies == 1 || (one.which->second.text == command[1] && !one.which->cut_short),
              "and the one to its second command");
        check(one.which->repeated() == !one.sent_on.empty(), "it says whether the call may have run before");
        check(!one.which->late_copy_possible || doubts_, "where every predecessor kill succeeded it says so");
        if (!one.which->late_copy_possible)
            for (auto const former : one.sent_on)
                check(!may_run_.contains(former), "where it says that no late copy is possible none can run any more");
        one.gone = true;
    }

    void reply(resp::value what, caller* to) {
        forget_wakes();
        base::wake_list woken;
        check(lanes_.on_value(std::move(what), now_, woken), "a reply to what was sent makes sense");
        woken.wake_all();
        for (auto const& [n, one] : callers_)
            check(one.who->woken == (&one == to && !one.given_up ? 1 : 0),
                  "who is answered is woken once, nobody else");
        auto const late = lanes_.take_late();
        check(late.size() == (to && to->given_up && to->wants_reply ? 1U : 0U),
              "a late reply goes to who wants it, once");
        for (auto const& one : late) one.handler(one.reply);
        if (to && to->given_up) to->gone = true;
    }

    void babble() {
        base::wake_list woken;
        check(!lanes_.on_value(integer(1), now_, woken), "a reply that nobody asked for makes no sense");
        lose();
    }

    void close() {
        forget_wakes();
        std::set<std::uint64_t> open;
        for (auto const& [n, one] : callers_)
            if (!one.which->finished() && !one.given_up) open.insert(n);
        base::wake_list woken;
        lanes_.on_closed(woken);
        woken.wake_all();
        closed_ = true;
        up_ = false;
        for (auto const& [n, one] : callers_) {
            check(!open.contains(n) || one.which->status.load() == call::state::closed, "closing ends every call");
            check(one.who->woken == (open.contains(n) ? 1 : 0), "who waits is woken when all is closed, nobody else");
        }
        submit();
    }

    void forget_wakes() {
        for (auto const& [n, one] : callers_) one.who->woken = 0;
    }

    void look() {
        check(lanes_.up() == up_, "it knows whether it has a connection");
        check(lanes_.expects_reply() == (lanes_.due() > 0), "silence is suspicious while something is due");
        for (auto at = callers_.begin(); at != callers_.end();)
            at = at->second.gone ? callers_.erase(at) : std::next(at);
    }

    /// After healing every call that somebody waits for is answered.
    void settle() {
        for (int round = 0; !done(); ++round) {
            check(round < 100'000, "every call ends");
            if (!up_) connect();
            send();
            answer();
        }
    }
    bool done() const {
        return std::all_of(callers_.begin(), callers_.end(),
                           [](auto const& one) { return one.second.given_up || one.second.which->finished(); });
    }

    decisions next_;
    connection::multiplexer lanes_;
    base::instant now_ = beginning;
    std::map<std::uint64_t, caller> callers_;
    std::uint64_t last_ = 0;
    bool closed_ = false;

    bool up_ = false;
    bool began_ = false;             ///< something else than predecessor kills was sent on this connection
    std::uint64_t last_arrived_ = 0; ///< on this connection
    std::int64_t connection_ = 0;
    int run_ = 1;
    std::string to_send_;
    std::string kept_bytes_; ///< that the operating system did not take
    std::size_t kept_ = 0;

    command_reader sent_; ///< what the server has of this connection
    std::deque<words> arrived_;
    bool doubts_ = false;            ///< a predecessor kill was not possible
    std::set<std::int64_t> may_run_; ///< broken connections whose bytes may still run
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::many_callers(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
