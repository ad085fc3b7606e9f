// Our red lock beside Redisson's RedissonRedLock: the same name on three servers, of which a majority counts.
#include "contest.hpp"
#include "interop_test.hpp"
#include "support/lock_helpers.hpp"

#include <array>
#include <cstddef>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct red_lock_interop : interop_test {
    /// For all these tests: three servers, and a Java peer with a client of each.
    static std::array<redis_server, 3>& nodes() {
        static auto const one = [] { return redis_server({.over = server_options::transport::tcp}); };
        static std::array<redis_server, 3> all{one(), one(), one()};
        return all;
    }
    static java_peer& java() {
        static java_peer only(built_peer().folder, nodes()[0].uri() + " " + nodes()[1].uri() + " " + nodes()[2].uri(),
                              30s);
        return only;
    }
    bool in_java(std::string const& command) const { return java().yes("a", "red/" + command, {name}); }

    red_lock over_three() {
        std::vector<basic_lock> members;
        for (std::size_t i = 0; i < 3; ++i)
            members.push_back(clients.emplace_back(as_variant(config{.address = nodes()[i].uri()})).get_lock(name));
        return red_lock(members);
    }
    /// On how many servers somebody has it.
    std::size_t keys() const {
        std::size_t count = 0;
        for (auto const& one : nodes()) count += one.run("EXISTS", name).integer == 1 ? 1U : 0U;
        return count;
    }
    /// Java has asked the first member, subscribed, and asked again.
    java_peer::ticket java_in_line() const {
        auto const asked = [] {
            auto counts = command_counts(nodes()[0]);
            return counts["eval"] + counts["evalsha"];
        };
        auto const before = asked();
        auto const ticket = java().start("a", "red/lock", {name});
        EXPECT_TRUE(wait_until([&] { return asked() >= before + 2; })) << "Java did not begin to wait";
        EXPECT_FALSE(java().reply_if_any(ticket, 30ms)) << "Java took a lock that C++ holds";
        return ticket;
    }

    std::vector<redlatch::client> clients;
    red_lock ours = over_three();
};

TEST_F(red_lock_interop, keeps_java_out_and_is_kept_out_by_it) {
    auto held = ours.acquire({.wait = patience});
    EXPECT_TRUE(wait_until([&] { return held.members().size() == 3; })) << "who answers late joins";
    EXPECT_FALSE(in_java("tryLock"));
    EXPECT_EQ(held.status(), hold_status::held);
    held.release();
    EXPECT_EQ(keys(), 0U);
    EXPECT_TRUE(in_java("tryLock"));
    EXPECT_EQ(keys(), 3U);
    EXPECT_FALSE(ours.try_acquire());
    EXPECT_TRUE(still_busy(ours, {.wait = 200ms}));
    in_java("unlock");
    EXPECT_TRUE(ours.try_acquire());
}

/// Two of three are enough for each of them, and are too many for the other.
TEST_F(red_lock_interop, keeps_java_out_and_is_kept_out_by_it_with_a_majority) {
    hold_as_stranger(nodes()[0], name, 60s);
    auto const stranger = holders(nodes()[0], name);
    auto held = ours.acquire({.wait = patience});
    EXPECT_EQ(held.members().size(), 2U);
    EXPECT_FALSE(in_java("tryLock"));
    EXPECT_EQ(held.status(), hold_status::held);
    held.release();
    EXPECT_TRUE(in_java("tryLock"));
    EXPECT_EQ(keys(), 3U);
    EXPECT_FALSE(ours.try_acquire());
    in_java("unlock");
    EXPECT_EQ(keys(), 1U);
    EXPECT_TRUE(ours.try_acquire());
    EXPECT_EQ(holders(nodes()[0], name), stranger);
    release_as_stranger(nodes()[0], name);
}

TEST_F(red_lock_interop, lets_java_in_that_waits_for_our_release) {
    auto held = ours.acquire({.wait = patience});
    EXPECT_TRUE(wait_until([&] { return held.members().size() == 3; }));
    auto const waits = java_in_line();
    EXPECT_EQ(held.status(), hold_status::held);
    held.release();
    auto const end = java().end_of(waits); // long before the lease of 30 s is over
    EXPECT_TRUE(end.ok) << end.value;
    EXPECT_FALSE(ours.try_acquire());
    in_java("unlock");
    EXPECT_TRUE(ours.try_acquire());
}

TEST_F(red_lock_interop, is_let_in_by_javas_release) {
    in_java("lock");
    auto waiter = std::async(std::launch::async, [&] { return ours.acquire({.wait = patience, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return clients[0].stats().waiters == 1; }));
    EXPECT_EQ(waiter.wait_for(30ms), std::future_status::timeout) << "C++ took a lock that Java holds";
    in_java("unlock");
    auto held = waiter.get(); // or it throws, long before the lease of 30 s is over
    EXPECT_EQ(held.status(), hold_status::held);
    EXPECT_FALSE(in_java("tryLock"));
}

TEST_F(red_lock_interop, lets_in_one_at_a_time_beside_java) {
    // Java holds what it has got while it waits for the next member, 1.5 s or more: it gets in less often.
    auto const end =
        contest(nodes()[0], java(), "red/contest", name, {80}, [&] { return ours.acquire({.wait = patience}); });
    expect_one_at_a_time_of_both_sides(end);
    EXPECT_GE(20 * end.theirs, end.ours + end.theirs) << "it had 16 to 29 %, beside other work too";
}

} // namespace
} // namespace redlatch::test
