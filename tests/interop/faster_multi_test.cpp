// Values of a group in both languages: the same fields, who excludes whom, who is woken, and what both renew.
#include "behaviour/kinds.hpp"
#include "interop_test.hpp"

#include <map>

namespace redlatch::test {
namespace {

using values = std::vector<std::string>;
using locking::faster_multi::field_of;
using locking::faster_multi::fields_of;
using locking::faster_multi::parse;

struct faster_multi_interop : interop_test {
    any_lock ours(values const& which) { return cpp.get_faster_multi_lock(name, which); }
    /// As the peer reads them.
    std::string theirs(values const& which) const {
        std::string words;
        for (auto const& value : which) words += (&value == which.data() ? "" : ",") + value;
        return name + "|" + words;
    }
    std::map<std::string, std::string> fields() const {
        std::map<std::string, std::string> all;
        auto const items = server().run("HGETALL", name).items;
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) all[items[i].text] = items[i + 1].text;
        return all;
    }
    std::string owner_of(std::string const& value) const { return server().run("HGET", name, field_of(value)).text; }
};

TEST_F(faster_multi_interop, has_the_fields_that_java_makes_of_values_of_every_length) {
    values all;
    for (std::size_t size = 0; size <= 130; ++size) {
        std::string value;
        for (std::size_t i = 0; i < size; ++i) value.push_back(static_cast<char>('a' + i % 26));
        all.push_back(value);
    }
    for (auto const* const value : {"\xc3\xa4\xe2\x82\xac", "\xf0\x9f\x94\x92", "a b", "\t"}) all.emplace_back(value);
    java().value("a", "faster_multi/lock", {theirs(all)});
    std::vector<std::string> seen;
    for (auto const& [field, value] : fields())
        if (auto const parsed = parse(field); !parsed.value.empty() && parsed.owner_id.empty()) seen.push_back(field);
    EXPECT_EQ(seen, fields_of(all)) << "both in order";
    java().value("a", "faster_multi/unlock", {theirs(all)});
}

TEST_F(faster_multi_interop, leaves_the_same_on_the_server) {
    auto const left = [&](std::string const& owner) {
        auto const now = wall_microseconds() / 1000;
        std::map<std::string, std::string> all;
        for (auto const& [field, value] : fields()) {
            auto const at = field.find(owner);
            auto const shown = at == std::string::npos ? field : std::string(field).replace(at, owner.size(), "OWNER");
            if (!field.ends_with(":expire_time"))
                all[shown] = value == owner ? "OWNER" : value;
            else
                all[shown] = std::to_string((std::stoll(value) - now + 5'000) / 10'000) + "0 s";
        }
        all["key"] = std::to_string((ttl() + 5'000) / 10'000) + "0 s";
        return all;
    };
    owner const me;
    hold outer = ours({"a", "b"}).acquire({.owner = me});
    hold inner = ours({"a", "b"}).acquire({.owner = me});
    auto const by_us = left(outer.owner_id());
    inner.release();
    auto const once_by_us = left(outer.owner_id());
    outer.release();
    EXPECT_FALSE(exists(name));
    java().value("a", "faster_multi/lock", {theirs({"a", "b"})});
    java().value("a", "faster_multi/lock", {theirs({"a", "b"})});
    auto const them = owner_of("a");
    EXPECT_EQ(by_us, left(them));
    EXPECT_EQ(by_us.at("key"), "30 s");
    EXPECT_EQ(by_us.at(field_of("a") + ":OWNER:lock_count"), "2");
    java().value("a", "faster_multi/unlock", {theirs({"a", "b"})});
    EXPECT_EQ(once_by_us, left(them));
    java().value("a", "faster_multi/unlock", {theirs({"a", "b"})});
    EXPECT_FALSE(exists(name));
}

TEST_F(faster_multi_interop, excludes_java_exactly_from_what_it_holds) {
    hold held = ours({"a", "b"}).acquire();
    for (auto const& overlapping : {values{"b"}, values{"c", "a"}, values{"a", "b"}}) {
        EXPECT_FALSE(java().yes("a", "faster_multi/tryLock", {theirs(overlapping)}));
        EXPECT_FALSE(java().yes("a", "faster_multi/tryLock", {theirs(overlapping), "100", "5000"}));
    }
    EXPECT_TRUE(java().yes("a", "faster_multi/isLocked", {theirs({"b", "c"})}));
    EXPECT_FALSE(java().yes("a", "faster_multi/isLocked", {theirs({"c"})}));
    EXPECT_TRUE(java().yes("a", "faster_multi/tryLock", {theirs({"c", "d"})}));
    EXPECT_FALSE(ours({"d", "e"}).try_acquire({.owner = owner()}));
    EXPECT_TRUE(ours({"e"}).try_acquire({.owner = owner()}));
    held.release();
    EXPECT_TRUE(java().yes("b", "faster_multi/tryLock", {theirs({"a", "b"})}));
    EXPECT_FALSE(ours({"b"}).try_acquire());
    java().value("b", "faster_multi/unlock", {theirs({"a", "b"})});
    java().value("a", "faster_multi/unlock", {theirs({"c", "d"})});
    EXPECT_FALSE(exists(name));
}

TEST_F(faster_multi_interop, is_followed_by_a_java_waiter_for_one_of_its_values) {
    hold held = ours({"a", "b"}).acquire();
    auto const waits = java_waits("b", theirs({"b", "c"}), "faster_multi/lock");
    hold const beside = ours({"d"}).acquire({.owner = owner()});
    held.release();
    EXPECT_TRUE(java().end_of(waits).ok);
    EXPECT_FALSE(ours({"c"}).try_acquire());
    EXPECT_TRUE(ours({"a"}).try_acquire());
    java().value("b", "faster_multi/unlock", {theirs({"b", "c"})});
}

TEST_F(faster_multi_interop, follows_a_java_holder_of_one_of_its_values) {
    java().value("a", "faster_multi/lock", {theirs({"a", "b"})});
    auto waiter = in_thread([&] { return ours({"b", "c"}).acquire({.wait = 25s, .owner = owner()}); });
    EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 1 && subscribers(name) == 1; }));
    auto const start = std::chrono::steady_clock::now();
    java().value("a", "faster_multi/unlock", {theirs({"a", "b"})});
    EXPECT_TRUE(waiter.get());
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s) << "by the message, not with the lease of 30 s";
}

TEST_F(faster_multi_interop, takes_over_from_java_what_is_beyond_its_lease) {
    hold const beside = ours({"x"}).acquire();
    EXPECT_TRUE(java().yes("a", "faster_multi/tryLock", {theirs({"a"}), "0", "300"}));
    hold const got = ours({"a", "b"}).acquire({.wait = 20s, .owner = owner()});
    EXPECT_EQ(owner_of("a"), got.owner_id());
    EXPECT_FALSE(java().ask("a", "faster_multi/unlock", {theirs({"a"})}).ok);
    EXPECT_EQ(server().run("HLEN", name).integer, 9) << "nothing is left of the one before";
    got.ensure_held();
}

TEST_F(faster_multi_interop, is_renewed_beside_java_and_java_beside_it) {
    client brief(as_variant(config{.address = server().uri(), .lock_watchdog_timeout = brief_watchdog}));
    any_lock lock{brief.get_faster_multi_lock(name, {"a", "b"})};
    java_peer& peer = brief_java();
    peer.value("a", "faster_multi/lock", {theirs({"c"})});
    hold const held = lock.acquire();
    auto const ends = [&](std::string const& value) {
        return std::stoll(server().run("HGET", name, field_of(value) + ":" + owner_of(value) + ":expire_time").text);
    };
    auto const first_of_ours = ends("b");
    auto const first_of_theirs = ends("c");
    EXPECT_TRUE(wait_until([&] {
        return ends("b") > first_of_ours + 2 * brief_watchdog.count()
               && ends("c") > first_of_theirs + 2 * brief_watchdog.count();
    }));
    held.ensure_held();
    EXPECT_FALSE(peer.yes("b", "faster_multi/tryLock", {theirs({"b", "d"})}));
    EXPECT_FALSE(ours({"c"}).try_acquire({.owner = owner()}));
    peer.value("a", "faster_multi/unlock", {theirs({"c"})});
}

TEST_F(faster_multi_interop, loses_a_hold_of_which_java_ends_a_value_by_force) {
    hold held = ours({"a", "b"}).acquire();
    java().ask("a", "faster_multi/forceUnlock", {theirs({"b"})});
    EXPECT_TRUE(java().yes("a", "faster_multi/tryLock", {theirs({"b"})}));
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lease_lost);
    EXPECT_EQ(owner_of("a"), "") << "the rest is given back";
    java().value("a", "faster_multi/unlock", {theirs({"b"})});
}

TEST_F(faster_multi_interop, lets_one_at_a_time_have_a_value_that_both_want_with_others) {
    constexpr int rounds = 40;
    auto const java_side =
        java().start("a", "faster_multi/contend", {theirs({"b", "c"}), name, std::to_string(rounds)});
    std::int64_t most = 0;
    for (int round = 0; round < rounds; ++round) {
        hold const mine = ours({"a", "b"}).acquire();
        most = std::max<std::int64_t>(most, server().run("INCR", name + ":inside").integer);
        server().run("DECR", name + ":inside");
    }
    EXPECT_EQ(most, 1);
    auto const end = java().end_of(java_side, 60s);
    EXPECT_TRUE(end.ok) << end.value;
    EXPECT_EQ(end.value, "1");
}

} // namespace
} // namespace redlatch::test
