// Any order of waiters that come, ask and leave, messages, confirmations, refusals, timers and broken connections, with a model
// of a pub/sub server at the other end: no wake-up is lost, and nothing is given up that somebody listens to.
//
// A waiter samples its channel, asks the server for the lock (at once, in this model) and then waits for the count to move off
// the sample. Every publication after its question must move the count, once everything that is on its way has arrived.
#include "check.hpp"
#include "decisions.hpp"
#include "locking/subscription_registry.hpp"
#include "replies.hpp"
#include "sleeper.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

namespace redlatch::fuzz {
namespace {

using namespace std::chrono_literals;
using locking::channel;
using locking::channel_ptr;
using locking::channel_sample;

class listening {
public:
    explicit listening(decisions from) : next_(from) {}

    void run() {
        while (next_.more()) {
            step();
            staged();
            look();
        }
        if (!closed_) settle();
    }

private:
    struct waiter {
        sleeper_ptr who = std::make_shared<sleeper>();
        channel_ptr at{};
        channel_sample sample{};
        bool published = false; ///< after its question
    };
    /// What the channel of this name must look like.
    struct expected {
        channel_ptr which{};
        channel::state state = channel::state::idle;
        std::uint64_t count = 0;
        base::instant linger_until = base::never;
    };
    struct request {
        char kind; ///< of SUBSCRIBE, UNSUBSCRIBE or PING
        channel_ptr which{};
    };

    void step() {
        auto& one = waiters_[next_.below(waiters_.size())];
        switch (next_.below(14)) {
        case 0:
        case 1: return question(one);
        case 2: return leave(one);
        case 3:
        case 4: return serve();
        case 5:
        case 6: return deliver();
        case 7: return publish(some_name());
        case 8: now_ += next_.span(); return;
        case 9: return timer();
        case 10:
            if (up_) registry_.stage_ping(now_);
            return;
        case 11: refused_ = next_.one_in(2) ? some_name() : ""; return;
        case 12:
            if (closed_) return;
            return up_ ? lose() : connect();
        default:
            if (!closed_ && next_.one_in(8)) close();
        }
    }

    std::string some_name() { return std::string(1, static_cast<char>('a' + next_.below(3))); }

    // --- waiters

    void question(waiter& one) {
        if (!one.at) attach(one, some_name());
        one.sample = one.at->sample();
        one.published = false;
        if (!one.sample.subscribed) registry_.subscribe(one.at);
    }
    void attach(waiter& one, std::string const& name) {
        one.at = registry_.attach(name);
        auto& its = channels_[name];
        check(!its.which || its.which == one.at,
              "a channel that anybody refers to, or that lingers, is not begun again");
        if (!its.which) its = {one.at};
        its.linger_until = base::never;
        one.at->waiters.push_back(one.who); // as the subscriber does
    }
    void leave(waiter& one) {
        if (!one.at) return;
        auto const which = std::exchange(one.at, nullptr);
        std::erase(which->waiters, base::waker(one.who));
        registry_.detach(which, now_);
        if (referred_to(which->name)) return;
        auto& its = channels_.at(which->name);
        if (its.state == channel::state::asked || its.state == channel::state::subscribed)
            its.linger_until = now_ + 1s;
        else
            channels_.erase(which->name);
    }
    bool referred_to(std::string const& name) const {
        return std::any_of(waiters_.begin(), waiters_.end(),
                           [&](waiter const& one) { return one.at && one.at->name == name; });
    }

    // --- what the registry sends

    void staged() {
        std::string bytes;
        if (!registry_.out.empty()) registry_.out.take(bytes);
        for (auto& command : sent_.take(bytes)) {
            check(up_, "nothing is staged without a connection");
            auto const kind = command.at(0).front();
            arrived_.push_back(command);
            if (kind == 'P') {
                due_.push_back({kind});
                continue;
            }
            check(kind == 'U' || command.size() == 2, "it subscribes to one channel at a time");
            for (std::size_t at = 1; at < command.size(); ++at) asked_about(kind, command[at]);
        }
    }
    void asked_about(char kind, std::string const& name) {
        auto const its = channels_.find(name);
        check(its != channels_.end(), "it asks about channels that it knows");
        due_.push_back({kind, its->second.which});
        if (kind == 'S') {
            check(referred_to(name), "it subscribes to what somebody wants");
            check(its->second.state == channel::state::idle, "it subscribes once");
            its->second.state = channel::state::asked;
        } else {
            check(!referred_to(name), "nothing is given up that somebody listens to");
            check(its->second.linger_until <= now_, "a subscription lingers for a second");
            channels_.erase(its);
        }
    }
    void timer() {
        registry_.on_timer(now_);
        staged();
        for (auto const& [name, one] : channels_) check(one.linger_until > now_, "no subscription lingers for ever");
    }

    // --- the server

    void publish(std::string const& name) {
        for (auto& one : waiters_)
            if (one.at && one.at->name == name) one.published = true;
        if (at_server_.contains(name)) on_their_way_.push_back(array({text("message"), text(name), text("0")}));
    }
    void serve() {
        if (arrived_.empty()) return;
        auto const command = arrived_.front();
        arrived_.pop_front();
        auto const subscriptions = [&] { return integer(static_cast<std::int64_t>(at_server_.size())); };
        switch (command.at(0).front()) {
        case 'S':
            if (command[1] == refused_) {
                on_their_way_.push_back(error("NOPERM this user has no permissions to access one of the channels"));
                return;
            }
            at_server_.insert(command[1]);
            on_their_way_.push_back(array({text("subscribe"), text(command[1]), subscriptions()}));
            return;
        case 'U':
            for (std::size_t at = 1; at < command.size(); ++at) {
                at_server_.erase(command[at]);
                on_their_way_.push_back(array({text("unsubscribe"), text(command[at]), subscriptions()}));
            }
            return;
        default:
            on_their_way_.push_back(at_server_.empty() ? text("PONG", resp::value::kind::status)
                                                       : array({text("pong"), text("")}));
        }
    }
    void deliver() {
        if (on_their_way_.empty()) return;
        auto what = std::move(on_their_way_.front());
        on_their_way_.pop_front();
        forget_wakes();
        expect(what);
        base::wake_list woken;
        check(registry_.on_value(std::move(what), now_, woken), "what a server says in its turn makes sense");
        check_wakes(woken);
    }
    /// What this value must change.
    void expect(resp::value const& what) {
        if (what.is_array() && what.items.front().text == "message") return move(what.items[1].text);
        auto const answered = due_.front();
        due_.pop_front();
        if (answered.kind != 'S') return;
        auto const its = channels_.find(answered.which->name);
        if (its == channels_.end() || its->second.which != answered.which) return; // given up meanwhile
        if (its->second.state != channel::state::asked) return;
        its->second.state = what.is_error() ? channel::state::refused : channel::state::subscribed;
        move(answered.which->name);
    }
    void move(std::string const& name) {
        auto const its = channels_.find(name);
        if (its == channels_.end()) return;
        ++its->second.count;
        for (auto const& one : waiters_)
            if (one.at && one.at->name == name) to_wake_.insert(one.who.get());
    }

    // --- connections

    void connect() {
        base::wake_list woken;
        sent_ = {};
        up_ = true;
        registry_.on_up({}, now_, woken);
        staged();
        for (auto const& [name, one] : channels_)
            check(one.state == channel::state::asked, "a new connection asks again for whatever is wanted");
    }
    void forget_connection() {
        up_ = false;
        at_server_.clear();
        on_their_way_.clear();
        arrived_.clear();
        due_.clear();
    }
    /// There is no other one. Waiters may come and leave for a moment yet.
    void close() {
        forget_wakes();
        base::wake_list woken;
        registry_.on_closed(woken);
        closed_ = true;
        forget_connection();
        for (auto& [name, one] : channels_) {
            one.state = channel::state::idle;
            one.linger_until = base::never;
            move(name); // they are to see that it is closed
        }
        check_wakes(woken);
    }
    void lose() {
        forget_wakes();
        base::wake_list woken;
        registry_.on_down(now_, woken);
        forget_connection();
        std::erase_if(channels_, [&](auto const& one) { return !referred_to(one.first); });
        for (auto& [name, one] : channels_) {
            one.state = channel::state::idle;
            move(name); // a message may have been missed
        }
        check_wakes(woken);
    }

    // --- looking

    void forget_wakes() {
        for (auto const& one : waiters_) one.who->woken = 0;
        to_wake_.clear();
    }
    void check_wakes(base::wake_list& woken) {
        woken.wake_all();
        for (auto const& one : waiters_)
            check(one.who->woken == (to_wake_.contains(one.who.get()) ? 1 : 0),
                  "who has news is woken, nobody else is");
    }
    void look() const {
        std::size_t active = 0;
        auto earliest = base::never;
        for (auto const& [name, one] : channels_) {
            check(one.which->now_in == one.state, "a channel is in the state that its table says");
            check(one.which->count == one.count, "whatever could be a wake-up counts once, nothing else does");
            check(registry_.peek(name).count == one.count, "peeking is sampling");
            if (one.state == channel::state::asked || one.state == channel::state::subscribed) ++active;
            earliest = std::min(earliest, one.linger_until);
        }
        check(registry_.active() == active, "it knows how many channels are subscribed");
        check(registry_.next() == earliest, "the timer is set for the subscription that lingers longest");
        check(registry_.due() == due_.size() && registry_.expects_reply() == !due_.empty(),
              "each request is answered once");
        check(registry_.listens() == !channels_.empty(), "it listens while there are channels");
    }

    /// Everything that is on its way arrives.
    void settle() {
        if (!up_) connect();
        for (bool more = true; more;) {
            more = !arrived_.empty() || !on_their_way_.empty();
            serve();
            deliver();
            staged();
            look();
        }
        for (auto const& one : waiters_) {
            if (!one.at || one.at->now_in == channel::state::refused) continue; // who is refused polls
            bool const moved = one.at->count != one.sample.count;
            check(moved || !one.published, "no publication after a question is lost");
            check(moved || one.sample.subscribed, "nobody waits where nothing will be heard");
            check(at_server_.contains(one.at->name), "who waits is subscribed at the server");
        }
    }

    decisions next_;
    locking::subscription_registry registry_;
    base::instant now_ = beginning;
    bool up_ = false;
    bool closed_ = false;
    std::array<waiter, 5> waiters_{};
    std::map<std::string, expected> channels_; ///< referred to, or lingering
    std::deque<request> due_;
    std::set<sleeper const*> to_wake_;

    command_reader sent_;
    std::deque<words> arrived_;
    std::set<std::string> at_server_;
    std::deque<resp::value> on_their_way_;
    std::string refused_; ///< the channel that this user may not subscribe to
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::listening(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
