// No wake-up is lost: random dialogues with a model of a pub/sub server. Every seed is a dialogue of its own.
//
// A waiter samples its channel, asks the server for the lock (at once, in this model) and then waits for the count to move off
// the sample. Every publication after its question must move the count, once everything that is on its way has arrived.
#include "base/random.hpp"
#include "locking/subscription_registry.hpp"
#include "scripted/replies.hpp"
#include "scripted/virtual_time.hpp"

#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <set>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::array;
using scripted::integer;
using scripted::string;

class pub_sub_model {
public:
    explicit pub_sub_model(std::uint64_t seed) : random_(seed) {}

    void run(int steps) {
        for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) step();
        if (::testing::Test::HasFatalFailure()) return;
        if (!connected_) connect();
        while (serve() || deliver()) {
        }
        for (auto const& one : waiters_) look(one);
    }

private:
    struct waiter {
        channel_ptr channel{};
        channel_sample sample{};
        bool published = false; ///< after its question
    };

    bool chance(int percent) { return random_.up_to(99) < percent; }

    void step() {
        now_ += base::milliseconds(random_.up_to(400));
        auto& one = waiters_[static_cast<std::size_t>(random_.up_to(std::ssize(waiters_) - 1))];
        switch (random_.up_to(9)) {
        case 0:
        case 1: question(one); break;
        case 2: leave(one); break;
        case 3:
        case 4: serve(); break;
        case 5:
        case 6: deliver(); break;
        case 7: publish(chance(50) ? "a" : "b"); break;
        case 8: registry_.on_timer(now_); break;
        default: turn(); break;
        }
    }

    void question(waiter& one) {
        if (!one.channel) one.channel = registry_.attach(chance(50) ? "a" : "b");
        one.sample = one.channel->sample();
        one.published = false;
        if (!one.sample.subscribed) registry_.subscribe(one.channel);
    }
    void leave(waiter& one) {
        if (!one.channel) return;
        registry_.detach(one.channel, now_);
        one = {};
    }

    void publish(std::string const& name) {
        for (auto& one : waiters_)
            if (one.channel && one.channel->name == name) one.published = true;
        if (at_server_.contains(name)) on_their_way_.push_back(array({string("message"), string(name), string("0")}));
    }

    /// The server takes the next command.
    bool serve() {
        if (!connected_) return false;
        std::string bytes;
        if (!registry_.out.empty()) registry_.out.take(bytes);
        arrived_.feed(bytes);
        resp::value command;
        if (arrived_.next(command) != resp::reader::result::value) return false;
        bool const begins = command.items[0].text == "SUBSCRIBE";
        for (std::size_t i = 1; i < command.items.size(); ++i) { // one answer for each name
            auto const& name = command.items[i].text;
            if (begins)
                at_server_.insert(name);
            else
                at_server_.erase(name);
            on_their_way_.push_back(
                array({string(begins ? "subscribe" : "unsubscribe"), string(name), integer(std::ssize(at_server_))}));
        }
        return true;
    }
    bool deliver() {
        if (on_their_way_.empty()) return false;
        bool const made_sense = registry_.on_value(std::move(on_their_way_.front()), now_, woken_);
        on_their_way_.pop_front();
        EXPECT_TRUE(made_sense);
        return true;
    }

    void connect() {
        arrived_ = resp::reader();
        registry_.on_up({}, now_, woken_);
        connected_ = true;
    }
    void turn() {
        if (!connected_) return connect();
        registry_.on_down(now_, woken_);
        connected_ = false;
        at_server_.clear();
        on_their_way_.clear();
    }

    void look(waiter const& one) {
        if (!one.channel) return;
        bool const moved = one.channel->count != one.sample.count;
        ASSERT_TRUE(moved || !one.published) << "a publication on " << one.channel->name << " was lost";
        ASSERT_TRUE(moved || one.sample.subscribed) << "it waits and will hear nothing";
        ASSERT_EQ(one.channel->now_in, channel::state::subscribed);
        ASSERT_TRUE(at_server_.contains(one.channel->name));
    }

    base::random_source random_;
    subscription_registry registry_;
    base::wake_list woken_;
    base::instant now_ = scripted::beginning;
    bool connected_ = false;
    resp::reader arrived_;
    std::set<std::string> at_server_;
    std::deque<resp::value> on_their_way_;
    std::array<waiter, 4> waiters_{};
};

TEST(subscription_registry_random, loses_no_wake_up) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        pub_sub_model(seed).run(80);
        if (HasFatalFailure()) return;
    }
}

} // namespace
} // namespace redlatch::locking
