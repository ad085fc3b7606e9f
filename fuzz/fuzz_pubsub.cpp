// Any bytes as the stream of a subscriber's connection, in pieces, between any events of its client: what makes no sense ends
// the connection, only what could be a wake-up counts, and nothing that a server sends makes anything grow.
#include "check.hpp"
#include "decisions.hpp"
#include "locking/subscription_registry.hpp"
#include "resp/reader.hpp"

#include <array>
#include <map>
#include <string>

namespace redlatch::fuzz {
namespace {

using locking::channel;
using locking::channel_ptr;

class connection_of_a_babbler {
public:
    explicit connection_of_a_babbler(decisions from) : next_(from) {}

    void run() {
        while (next_.more()) step();
        if (up_) lose();
        for (auto& one : held_) leave(one);
        check(!registry_.listens() && registry_.due() == 0, "nothing is left when everybody has gone");
    }

private:
    void step() {
        auto& one = held_[next_.below(held_.size())];
        switch (next_.below(8)) {
        case 0:
            if (one) return leave(one);
            one = registry_.attach(std::string(1, static_cast<char>('a' + next_.below(2))));
            return;
        case 1:
            if (one) registry_.subscribe(one);
            return;
        case 2: return registry_.stage_ping(now_);
        case 3: now_ += next_.span(); return registry_.on_timer(now_);
        case 4: return up_ ? lose() : connect();
        default:
            if (up_) hear(next_.bytes(next_.byte()));
        }
    }

    void leave(channel_ptr& which) {
        if (!which) return;
        registry_.detach(which, now_);
        which.reset();
    }

    void connect() {
        base::wake_list woken;
        reader_ = resp::reader({.bytes_per_reply = 4'096, .items_per_reply = 64});
        registry_.on_up({}, now_, woken);
        up_ = true;
    }
    void lose() {
        base::wake_list woken;
        registry_.on_down(now_, woken);
        up_ = false;
        check(registry_.due() == 0, "nothing is due on a connection that is lost");
        for (auto const& one : held_)
            check(!one || one->now_in == channel::state::idle, "nothing is subscribed to on a connection that is lost");
    }

    void hear(std::string_view bytes) {
        reader_.feed(bytes);
        resp::value what;
        auto result = reader_.next(what);
        for (; result == resp::reader::result::value; result = reader_.next(what))
            if (!take(what)) return lose();
        if (result == resp::reader::result::broken) lose();
    }

    /// False: the connection has to go.
    bool take(resp::value const& what) {
        auto const due = registry_.due();
        auto const active = registry_.active();
        std::map<channel const*, std::uint64_t> counts;
        for (auto const& one : held_)
            if (one) counts.emplace(one.get(), one->count);

        base::wake_list woken;
        bool const made_sense = registry_.on_value(resp::value(what), now_, woken);

        bool const answered = registry_.due() != due;
        check(registry_.due() == due || registry_.due() + 1 == due, "a value answers one request at most");
        check(registry_.active() <= active, "no server can make us subscribe");
        bool const message = is_message(what);
        check(message ? made_sense && !answered : made_sense == answered,
              "a value is a message, the answer to a request, or nonsense");
        std::size_t moved = 0;
        for (auto const& [which, count] : counts) {
            bool const its_message = message && what.items[1].text == which->name;
            check(which->count == count || which->count == count + 1, "a value counts once");
            check(!its_message || which->count == count + 1, "a message on a channel counts");
            moved += which->count != count && !its_message ? 1U : 0U;
        }
        check(moved == 0 || (answered && moved == 1), "else only the answer to a subscription counts, on its channel");
        return made_sense;
    }

    static bool is_message(resp::value const& what) {
        return what.is_array() && what.items.size() == 3 && what.items[0].is_text() && what.items[0].text == "message"
               && what.items[1].is_text() && what.items[2].is_text();
    }

    decisions next_;
    locking::subscription_registry registry_;
    resp::reader reader_;
    base::instant now_ = beginning;
    bool up_ = false;
    std::array<channel_ptr, 3> held_{};
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::connection_of_a_babbler(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
