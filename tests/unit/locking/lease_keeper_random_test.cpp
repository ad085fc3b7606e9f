// Random lives of many holds against a model of the keys that they stand for. Every seed is a history of its own.
//
// The model's keys expire at the server's time, so the one promise that counts can be asked at every step: whoever holds by its
// own validity has a key that has not expired.
#include "base/random.hpp"
#include "locking/held_tenures.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>

namespace redlatch::locking {
namespace {

using namespace std::chrono_literals;
using scripted::ms;

class history {
public:
    explicit history(std::uint64_t seed) : random_(seed) {}

    void run(int steps) {
        for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
            now_ += base::milliseconds(random_.up_to(3'000));
            step();
            if (chance(80)) timer(); // at times it is late
            look();
        }
    }

private:
    /// Not by address: a seed is to give the same history every time.
    struct by_serial {
        bool operator()(tenure_ptr const& a, tenure_ptr const& b) const noexcept { return a->serial < b->serial; }
    };
    struct key {
        base::instant expires{};
        bool deleted = false; ///< by an administrator
    };
    struct asked {
        lease_keeper::batch who;
        base::instant sent_at;
        base::milliseconds lease;
    };

    bool chance(int percent) { return random_.up_to(99) < percent; }

    void step() {
        switch (random_.up_to(11)) {
        case 0:
        case 1: acquire(); break;
        case 2: enter_again(); break;
        case 3: release(); break;
        case 4: leave_a_level(); break;
        case 5:
        case 6:
        case 7: answer(); break;
        case 8: chance(50) ? fail() : refuse(); break;
        case 9: delete_a_key(); break;
        case 10: verify(); break;
        default: break;
        }
    }

    tenure_ptr pick() {
        if (live_.empty()) return nullptr;
        return *std::next(live_.begin(), random_.up_to(std::ssize(live_) - 1));
    }

    level some_level() {
        bool const renewed = chance(60);
        level out{1, renewed ? 30s : base::milliseconds(1 + random_.up_to(90'000)), renewed, false};
        if (renewed && chance(20)) out.max_hold_until = now_ + base::milliseconds(1 + random_.up_to(100'000));
        return out;
    }

    /// The server got a write that was sent a while ago.
    base::instant write(tenure_ptr const& who, base::milliseconds lease) {
        auto const sent_at = now_ - base::milliseconds(random_.up_to(200));
        auto& it = server_[who];
        it.expires = std::max(it.expires, sent_at + lease);
        return sent_at;
    }

    void acquire() {
        auto const what = some_level();
        auto one = std::make_shared<tenure>();
        one->record = all_.record;
        all_.record->tenures.add(one);
        one->serial = ++all_.last;
        auto const sent_at = write(one, what.lease);
        all_.enter(one, what, sent_at);
        live_.insert(one);
    }
    void enter_again() {
        auto const one = pick();
        if (!one || !alive(one) || !one->holds(now_)) return;
        auto const what = some_level();
        all_.enter(one, what, write(one, what.lease));
    }
    void leave_a_level() {
        auto const one = pick();
        if (!one || one->levels.size() < 2 || !alive(one) || !one->holds(now_)) return;
        auto const which = one->levels.begin() + random_.up_to(std::ssize(one->levels) - 1);
        bool const capped = which->max_hold_until != base::never;
        one->levels.erase(which);
        if (capped || chance(80)) // else its answer is lost
            all_.keeper.acknowledged(one, one->longest_lease(), write(one, one->longest_lease()));
    }
    void release() {
        auto const one = pick();
        if (!one) return;
        all_.keeper.forget(one);
        one->now_in = tenure::phase::releasing;
        live_.erase(one);
        server_.erase(one);
    }

    void delete_a_key() {
        if (auto const one = pick()) server_[one].deleted = true;
    }

    bool alive(tenure_ptr const& who) const {
        auto const found = server_.find(who);
        return found != server_.end() && !found->second.deleted && now_ < found->second.expires;
    }

    void send(lease_keeper::effects const& from) {
        for (auto const& some : from.renew) {
            ASSERT_FALSE(some.empty());
            ASSERT_LE(some.size(), 3U) << "a batch is larger than asked for";
            for (auto const& one : some) ASSERT_TRUE(in_flight_.insert(one).second) << "asked twice at once";
            asked_.push_back({some, now_, all_.keeper.lease_of(some)});
        }
    }
    void take(lease_keeper::effects const& from) {
        for (auto const& one : from.lost) {
            ASSERT_EQ(live_.erase(one), 1U) << "lost twice, or after its release";
            ASSERT_TRUE(!alive(one) || one->validity() <= now_) << "lost although it is held";
            one->now_in = tenure::phase::lost;
        }
        send(from);
    }
    void timer() {
        lease_keeper::effects found;
        all_.keeper.on_timer(now_, found);
        take(found);
        ASSERT_GT(all_.keeper.next(), now_) << "the timer must not find the same thing again";
    }
    void verify() {
        lease_keeper::effects found;
        all_.keeper.verify_all(now_, found);
        send(found);
    }
    asked take_batch() {
        auto const at = asked_.begin() + random_.up_to(std::ssize(asked_) - 1);
        auto out = std::move(*at);
        asked_.erase(at);
        for (auto const& one : out.who) in_flight_.erase(one);
        return out;
    }
    void answer() {
        if (asked_.empty()) return;
        auto const batch = take_batch();
        std::vector<std::int64_t> lost;
        for (std::size_t i = 0; i < batch.who.size(); ++i) {
            if (alive(batch.who[i])) {
                auto& expires = server_[batch.who[i]].expires;
                expires = std::max(expires, batch.sent_at + batch.lease);
            } else {
                lost.push_back(static_cast<std::int64_t>(i + 1));
            }
        }
        lease_keeper::effects found;
        all_.keeper.on_answer(batch.who, lost, batch.lease, batch.sent_at, found);
        take(found);
    }
    void fail() {
        if (!asked_.empty()) all_.keeper.on_failure(take_batch().who, now_);
    }
    void refuse() {
        if (asked_.empty()) return;
        auto const batch = take_batch().who;
        lease_keeper::effects found;
        all_.keeper.on_refusal(batch, now_, found);
        ASSERT_TRUE(found.lost.empty()) << "a refusal decides nothing";
        for (auto const& half : found.renew) ASSERT_LE(half.size(), (batch.size() + 1) / 2);
        take(found);
    }

    void look() {
        auto const timers = all_.keeper.timers();
        ASSERT_EQ(timers.size(), live_.size());
        auto earliest = base::never;
        for (std::size_t i = 0; i < timers.size(); ++i) {
            auto const& [when, one] = timers[i];
            ASSERT_EQ(one->timer_index, i);
            ASSERT_TRUE(live_.contains(all_.record->tenures.of(*one)));
            ASSERT_LE(one->validity(), one->max_hold_until());
            ASSERT_LE(when, one->validity()) << "its end would be overslept";
            bool const to_renew = !one->renewal_in_flight
                                  && (one->in_question || (one->renewed() && one->validity() < one->max_hold_until()));
            ASSERT_TRUE(!to_renew || when <= one->next_renewal) << "its renewal would be overslept";
            earliest = std::min(earliest, when);
        }
        ASSERT_EQ(ms(all_.keeper.next()), ms(earliest));
        for (auto const& one : live_) {
            auto const& its_key = server_[one];
            bool const held = one->holds(now_) && !its_key.deleted;
            ASSERT_TRUE(!held || now_ < its_key.expires) << "held, and the key has expired";
        }
    }

    base::random_source random_;
    held_tenures all_{lease_keeper({30s, 0ms, 3}, 1)};
    base::instant now_ = scripted::beginning;
    std::set<tenure_ptr, by_serial> live_;
    std::map<tenure_ptr, key, by_serial> server_;
    std::vector<asked> asked_;
    std::set<tenure_ptr, by_serial> in_flight_;
};

TEST(lease_keeper_random, keeps_its_order_and_promises_nothing_that_the_server_does_not_keep) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        history(seed).run(200);
        if (HasFatalFailure()) return;
    }
}

} // namespace
} // namespace redlatch::locking
