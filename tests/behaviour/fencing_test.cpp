// Fencing tokens on request: every kind that one owner holds alone gives one, all kinds of one name from the same counter.
#include "behaviour/kinds.hpp"
#include "locking/script.hpp"
#include "support/waiting_thread.hpp"

#include <gmock/gmock.h>
#include <map>
#include <set>

namespace redlatch::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct fencing_test : with_server {
    client user{settings()};
    client other{settings()};
    std::string const counter = "redisson_lock_token:{" + name + "}";

    config settings() const {
        auto result = quick(server.uri());
        result.local_handoff.time = 1h; // what may pass passes, however busy this machine is
        result.local_handoff.strict = true;
        return result;
    }
    config forgetting(duration ttl) const {
        auto result = settings();
        result.fencing_counter_ttl = ttl;
        return result;
    }
    std::string counted() const { return server.run("GET", counter).text; }

    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        expect_clean_but_for_tokens(server);
    }
};

struct fencing : fencing_test, ::testing::WithParamInterface<lock_kind> {
    lock_kind const& kind() const { return GetParam(); }
    any_lock lock = kind().get(user, name);
    any_lock theirs = kind().get(other, name);
};

INSTANTIATE_TEST_SUITE_P(of, fencing, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(fencing, gives_each_hold_that_asks_a_greater_token) {
    std::uint64_t last = 0;
    for (auto* from : {&lock, &theirs, &theirs, &lock}) {
        auto mine = from->acquire({.fencing = true, .owner = owner()});
        ASSERT_TRUE(mine.token());
        EXPECT_EQ(*mine.token(), last + 1);
        EXPECT_EQ(std::to_string(*mine.token()), counted());
        last = *mine.token();
        mine.release();
        EXPECT_EQ(mine.token(), last) << "whoever writes with it now is refused";
    }
    EXPECT_EQ(server.run("PTTL", counter).integer, -1) << "as Redisson's";
}

TEST_P(fencing, gives_a_fixed_lease_and_a_capped_hold_a_token_too) {
    EXPECT_EQ(lock.acquire({.lease = 10s, .fencing = true}).token(), 1U);
    EXPECT_EQ(lock.acquire({.max_hold = 10s, .fencing = true}).token(), 2U);
    auto tried = lock.try_acquire({.fencing = true});
    ASSERT_TRUE(tried);
    EXPECT_EQ(tried->token(), 3U);
}

TEST_P(fencing, gives_a_token_to_nobody_else) {
    auto mine = lock.acquire();
    EXPECT_EQ(mine.token().has_value(), kind().gives_tokens);
    EXPECT_EQ(exists(counter), kind().gives_tokens);
}

TEST_P(fencing, needs_no_plain_command) {
    lock.acquire({.fencing = true}).release(); // the script is known from here on
    auto const before = command_counts(server);
    lock.acquire({.fencing = true}).release();
    auto after = command_counts(server);
    EXPECT_EQ(after["restore"], 0U);
    EXPECT_EQ(after["incr"] - before.at("incr"), 1U);
}

TEST_P(fencing, gives_waiters_of_this_process_tokens_of_their_own) {
    auto first = lock.acquire({.fencing = true, .owner = owner()});
    std::vector<std::future<std::uint64_t>> waiters;
    for (std::uint64_t i = 1; i <= 4; ++i) {
        waiters.push_back(in_thread([&] {
            hold mine = lock.acquire({.fencing = true, .owner = owner()});
            auto const token = mine.token().value_or(0);
            EXPECT_EQ(std::to_string(token), counted()) << "nobody has got a greater one meanwhile";
            mine.release();
            return token;
        }));
        ASSERT_TRUE(wait_until([&] { return user.stats().waiters == i; }));
    }
    std::set<std::uint64_t> seen{*first.token()};
    first.release();
    for (auto& one : waiters) EXPECT_TRUE(seen.insert(one.get()).second) << "twice";
    EXPECT_EQ(*seen.rbegin(), 5U);
}

TEST_P(fencing, gives_a_waiter_of_another_process_a_greater_token) {
    auto mine = lock.acquire({.fencing = true});
    auto waiter = in_thread([&] { return theirs.acquire({.wait = 20s, .fencing = true, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    mine.release();
    EXPECT_EQ(waiter.get().token(), 2U);
}

TEST_P(fencing, gives_the_greatest_token_also_when_the_reply_was_lost) {
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    auto far = kind().get(through, name);
    far.acquire({.wait = 10s, .fencing = true}).release();
    auto const trap = proxy.cut_after(any_script());
    auto mine = far.acquire({.wait = 10s, .fencing = true});
    EXPECT_TRUE(trap.sprung());
    EXPECT_EQ(mine.token(), 3U) << "nobody has got that of the first copy";
    EXPECT_EQ(counted(), "3");
}

TEST_P(fencing, acquires_nothing_where_the_counter_cannot_count) {
    server.run("RPUSH", counter, "a list");
    auto const end = outcome_of([&] { auto const never = lock.acquire({.wait = 5s, .fencing = true}); });
    EXPECT_EQ(end.reason, errc::wrong_type) << end;
    EXPECT_THAT(end.message, HasSubstr(counter));
    EXPECT_FALSE(exists(name));
    server.run("DEL", counter);
    server.run("SET", counter, "9223372036854775807");
    auto const refused = outcome_of([&] { auto const never = lock.acquire({.wait = 5s, .fencing = true}); });
    EXPECT_EQ(refused.reason, errc::server_refused);
    EXPECT_THAT(refused.message, AllOf(HasSubstr(counter), HasSubstr("the greatest number that there is")));
    EXPECT_FALSE(exists(name));
    server.run("SET", counter, "-7");
    auto const wrong = outcome_of([&] { auto const never = lock.acquire({.wait = 5s, .fencing = true}); });
    EXPECT_EQ(wrong.reason, errc::bad_reply);
    EXPECT_THAT(wrong.message, AllOf(HasSubstr(counter), HasSubstr("has to be a positive number")));
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << "it is given back";
}

TEST_P(fencing, is_exact_beyond_what_a_number_of_lua_can_be) {
    server.run("SET", counter, "9007199254740991");
    std::uint64_t const first = 9'007'199'254'740'992;
    for (std::uint64_t const expected : {first, first + 1, first + 2})
        EXPECT_EQ(lock.acquire({.fencing = true, .owner = owner()}).token(), expected);
}

TEST_P(fencing, does_not_hold_without_the_token_that_it_asked_for) {
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    auto far = kind().get(through, name);
    far.acquire({.wait = 10s, .fencing = true}).release();
    auto const trap = proxy.replace_reply(any_script(), "$-1\r\n"); // acquired, says the script that brings none
    EXPECT_EQ(outcome_of([&] { auto const never = far.acquire({.wait = 5s, .fencing = true}); }).reason,
              errc::bad_reply);
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << "what was acquired is released in the background";
}

TEST_P(fencing, has_the_token_of_its_owner_when_it_is_entered_again) {
    if (!kind().reentrant) return;
    auto outer = lock.acquire({.fencing = true});
    auto const inner = lock.acquire({.fencing = true});
    auto const third = lock.acquire();
    EXPECT_EQ(outer.token(), 1U);
    EXPECT_EQ(inner.token(), 1U);
    EXPECT_EQ(third.token(), 1U);
    EXPECT_EQ(lock.current_hold().token(), 1U);
    EXPECT_EQ(counted(), kind().gives_tokens ? "3" : "1") << "Java counts each re-entry of a fenced lock";
}

TEST_P(fencing, takes_a_token_when_it_enters_again_what_was_held_without) {
    if (!kind().reentrant || kind().gives_tokens) return;
    theirs.acquire({.fencing = true}).release();
    auto outer = lock.acquire();
    auto inner = lock.acquire({.fencing = true});
    EXPECT_EQ(inner.token(), 2U);
    EXPECT_EQ(outer.token(), std::nullopt) << "it never changes";
    EXPECT_EQ(lock.current_hold().token(), 2U);
    EXPECT_EQ(kind().holders(server, name), (std::map<std::string, std::string>{{outer.owner_id(), "2"}}));
    inner.release();
    EXPECT_EQ(lock.acquire({.fencing = true}).token(), 2U);
    outer.release();
    EXPECT_FALSE(exists(name));
    EXPECT_EQ(theirs.acquire({.fencing = true}).token(), 3U);
}

TEST_P(fencing, enters_again_with_the_greatest_token_also_when_the_reply_was_lost) {
    if (!kind().reentrant || kind().gives_tokens) return;
    byte_proxy proxy{server.address()};
    client through(quick(proxy.uri()));
    auto far = kind().get(through, name);
    auto outer = far.acquire({.wait = 10s});
    namespace scripts = locking::scripts;
    auto const trap = proxy.cut_after(
        a_script(kind().name == "faster_multi" ? scripts::faster_multi_set_count : scripts::fenced_reenter));
    // The first time its text is sent, behind a question whether the script is known.
    auto inner = far.acquire({.wait = 10s, .fencing = true});
    EXPECT_TRUE(trap.sprung());
    EXPECT_EQ(std::to_string(inner.token().value_or(0)), counted());
    EXPECT_EQ(far.hold_count(), 2);
}

TEST_P(fencing, finds_its_loss_when_it_enters_again) {
    if (!kind().reentrant) return;
    auto outer = lock.acquire();
    server.run("DEL", name);
    EXPECT_EQ(outcome_of([&] { auto const never = lock.acquire({.fencing = true}); }).reason, errc::lease_lost);
    EXPECT_EQ(counted(), kind().gives_tokens ? "1" : "") << "it got none";
    std::error_code ec;
    outer.release(ec);
}

TEST_P(fencing, renews_the_expiry_of_its_counter_with_each_token) {
    client forgets(forgetting(100s));
    auto mine = kind().get(forgets, name);
    for (std::uint64_t token = 1; token <= 3; ++token) {
        EXPECT_EQ(mine.acquire({.fencing = true}).token(), token);
        EXPECT_GT(pttl(server, counter), 90'000);
        EXPECT_LE(pttl(server, counter), 100'000);
        server.run("PEXPIRE", counter, "50000"); // half of it has passed
    }
    EXPECT_EQ(lock.acquire({.fencing = true}).token(), 4U);
    EXPECT_LE(pttl(server, counter), 50'000) << "a client without the setting leaves it as it is";
}

TEST_P(fencing, begins_anew_when_its_counter_has_expired) {
    client forgets(forgetting(100s));
    auto mine = kind().get(forgets, name);
    mine.acquire({.fencing = true}).release();
    EXPECT_EQ(mine.acquire({.fencing = true}).token(), 2U);
    server.run("PEXPIRE", counter, "1");
    ASSERT_TRUE(wait_until([&] { return !exists(counter); }));
    EXPECT_EQ(mine.acquire({.fencing = true}).token(), 1U);
}

TEST_P(fencing, refuses_a_lease_that_would_outlive_its_counter) {
    client forgets(forgetting(100s));
    auto mine = kind().get(forgets, name);
    for (duration const lease : {duration(100'001ms), duration::max()}) {
        auto const end = outcome_of([&] { auto const never = mine.acquire({.lease = lease, .fencing = true}); });
        EXPECT_EQ(end.reason, errc::invalid_argument) << end;
        EXPECT_THAT(end.message, HasSubstr("fencing_counter_ttl (100000 ms)"));
        EXPECT_THAT(end.message, HasSubstr(name));
    }
    EXPECT_TRUE(mine.acquire({.lease = 100s, .fencing = true}));
    bool const refused =
        outcome_of([&] { auto const no_token = mine.acquire({.lease = 200s}); }).reason == errc::invalid_argument;
    EXPECT_EQ(refused, kind().gives_tokens);
}

// --- several kinds, and who gets none

TEST_F(fencing_test, is_of_one_counter_for_all_kinds_of_a_name) {
    std::uint64_t last = 0;
    for (int round = 0; round < 2; ++round)
        for (auto const& kind : lock_kinds) {
            auto mine = kind.get(round % 2 == 0 ? user : other, name).acquire({.fencing = true});
            EXPECT_EQ(mine.token(), ++last) << kind.name;
            mine.release();
        }
}

TEST_F(fencing_test, is_of_one_counter_for_all_values_of_a_group) {
    auto one = user.get_faster_multi_lock(name, {"a"}).acquire({.fencing = true});
    auto another = other.get_faster_multi_lock(name, {"b", "c"}).acquire({.fencing = true});
    EXPECT_EQ(one.token(), 1U);
    EXPECT_EQ(another.token(), 2U) << "a resource of several values can compare them";
    EXPECT_EQ(any_lock(other.get_faster_multi_lock(name, {"a"})).inspect().token, 2U);
}

TEST_F(fencing_test, is_refused_to_who_reads) {
    any_lock lock = user.get_read_write_lock(name).read_lock();
    auto const end = outcome_of([&] { auto const never = lock.acquire({.fencing = true}); });
    EXPECT_EQ(end.reason, errc::invalid_argument);
    EXPECT_THAT(end.message, HasSubstr(name));
    EXPECT_THAT(end.message, HasSubstr("acquire for writing"));
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire({.fencing = true}, ec));
    EXPECT_EQ(ec, errc::invalid_argument);
    EXPECT_TRUE(lock.acquire());
}

TEST_F(fencing_test, does_not_keep_others_of_this_process_from_handing_the_lock_off) {
    any_lock lock = user.get_lock(name);
    auto first = lock.acquire({.fencing = true, .owner = owner()});
    auto const owner_of_first = first.owner_id();
    struct seen {
        std::string owner_id{};
        std::optional<std::uint64_t> token{};
    } second, third, fourth;
    auto const waits = [&](bool fencing, seen& into) {
        return queued_thread(user, [&lock, fencing, &into] {
            hold const mine = lock.acquire({.fencing = fencing, .owner = owner()});
            into = {mine.owner_id(), mine.token()};
        });
    };
    std::vector<thread_ptr> waiters;
    waiters.push_back(waits(false, second));
    waiters.push_back(waits(true, third));
    waiters.push_back(waits(false, fourth));
    first.release();
    waiters.clear();
    EXPECT_EQ(second.token, std::nullopt);
    EXPECT_EQ(third.token, 2U);
    EXPECT_NE(third.owner_id, second.owner_id) << "it has come from the server";
    EXPECT_EQ(fourth.token, std::nullopt) << "the token of the one before is not its own";
    if (in_variant("scripts_no_hand_off")) return;
    EXPECT_EQ(second.owner_id, owner_of_first) << "handed off";
    EXPECT_EQ(fourth.owner_id, third.owner_id) << "handed off";
}

TEST_F(fencing_test, is_not_handed_off_to_who_has_asked_the_server_before) {
    any_lock lock = user.get_lock(name);
    hold_as_stranger(server, name, 60s);
    auto const asked = [this] { return command_counts(server)["evalsha"]; };
    auto const before = asked();
    auto waiter = in_thread([&] { return lock.acquire({.wait = 20s, .fencing = true, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name) && asked() == before + 2; }))
        << "not once more, listening";
    server.run("DEL", name); // and nobody is told
    auto another = lock.try_acquire({.owner = owner()});
    ASSERT_TRUE(another);
    auto const of_another = another->owner_id();
    another->release();
    hold const mine = waiter.get();
    EXPECT_EQ(mine.token(), 1U);
    EXPECT_NE(mine.owner_id(), of_another);
}

TEST_F(fencing_test, is_had_of_each_member_of_a_multi_lock) {
    auto first = user.get_lock(name);
    auto const second = user.get_fair_lock(name + ":2");
    multi_lock both({first, second});
    first.acquire({.fencing = true, .owner = owner()}).release();
    auto const held = both.acquire({.fencing = true});
    std::vector<std::optional<std::uint64_t>> tokens;
    for (auto const& one : held.members()) tokens.push_back(one.token());
    EXPECT_THAT(tokens, ::testing::ElementsAre(2U, 1U));
}

} // namespace
} // namespace redlatch::test
