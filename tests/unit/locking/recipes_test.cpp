// What is true of every kind of lock, and what the kinds do differently. The calls of the re-entrant one: wire_call_test.cpp.
#include "locking/names.hpp"
#include "locking/recipes/counter_kinds.hpp"
#include "locking/recipes/election.hpp"
#include "locking/recipes/faster_multi.hpp"
#include "locking/recipes/recipes.hpp"
#include "scripted/replies.hpp"

#include <gmock/gmock.h>
#include <set>
#include <span>
#include <tuple>

namespace redlatch::locking {
namespace {

using scripted::commands_in;
using scripted::words_in;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using words = std::vector<std::string>;

struct lock_keys {
    std::string name;
    std::string_view prefix;
    std::string channel;
};
lock_keys keys_of(recipe const& kind) {
    auto const prefix = kind.channel_prefix;
    return {"orders", prefix, prefix.empty() ? "" : prefixed(prefix, "orders")};
}

call_context about(lock_keys const& keys) {
    return {
        .name = keys.name, .channel_prefix = keys.prefix, .owner_id = "uuid:7", .lease = base::milliseconds(30'000)};
}

/// The same, which is to bring a token.
call_context fenced(lock_keys const& keys, base::milliseconds counter_ttl = {}) {
    auto context = about(keys);
    context.fencing = true;
    context.counter_ttl = counter_ttl;
    return context;
}

/// Behind the script's SHA-1.
words after_script(wire_call const& call, script const& expected) {
    auto const all = words_in(call.bytes).at(0);
    EXPECT_EQ(call.text_of, &expected);
    return {all.begin() + 2, all.end()};
}

TEST(recipes, have_kinds_of_their_own_and_the_name_as_their_key) {
    std::set<std::string_view> kinds;
    for (auto const* recipe : all_recipes) {
        EXPECT_TRUE(kinds.insert(recipe->kind).second) << recipe->kind;
        auto const keys = keys_of(*recipe);
        EXPECT_EQ(keys.name, "orders");
        EXPECT_EQ(recipe->acquire(about(keys)).key(), "orders") << recipe->kind;
        EXPECT_EQ(recipe->set_count(about(keys), 2).key(), "orders") << recipe->kind;
        EXPECT_EQ(recipe->release(about(keys)).key(), "orders") << recipe->kind;
        EXPECT_EQ(recipe->force_release(about(keys)).key(), "orders") << recipe->kind;
    }
    EXPECT_EQ(kinds.size(), all_recipes.size());
}

/// Of a call of a script, which must be one.
words keys_of_script(wire_call const& call) {
    auto const all = words_in(call.bytes).at(0);
    EXPECT_EQ(all.at(0), "EVALSHA");
    return {all.begin() + 3, all.begin() + 3 + std::stoi(all.at(2))};
}

// A user whose keys are restricted to a prefix has no right to a key that is called like the channel.
TEST(recipes, name_no_channel_as_a_key_of_a_script) {
    for (auto const* recipe : all_recipes) {
        auto const keys = keys_of(*recipe);
        auto context = about(keys);
        context.publish = publish_in_shard_command;
        context.count_listeners = true;
        for (auto const& call : {recipe->acquire(context), recipe->set_count(context, 2), recipe->release(context),
                                 recipe->force_release(context)})
            EXPECT_THAT(keys_of_script(call), Not(Contains(keys.channel))) << recipe->kind;
    }
    for (auto const* kind : {&semaphore_kind, &permit_kind, &latch_kind}) {
        auto const channel = kind->channel("orders");
        counter_request const request{.name = "orders", .channel = channel, .amount = 1};
        for (auto const* compose : {&kind->add, &kind->remove, &kind->undo, &kind->give_back}) {
            if (*compose == nullptr) continue;
            EXPECT_THAT(keys_of_script((**compose)(request)), Not(Contains(channel))) << channel;
        }
    }
}

TEST(recipes, announce_a_plain_release_exactly_if_they_have_a_channel) {
    for (auto const* recipe : all_recipes) {
        if (recipe->plain == nullptr) continue;
        bool const announces = !keys_of(*recipe).channel.empty();
        EXPECT_EQ(recipe->plain->announce != nullptr, announces) << recipe->kind;
        EXPECT_EQ(recipe->plain->release(about(keys_of(*recipe))).replies, announces ? 2 : 1) << recipe->kind;
        // Nothing is left to be announced later where there is nobody to hear it.
        EXPECT_EQ(recipe->plain->read_release(scripted::integer(1), nullptr).announced, !announces) << recipe->kind;
    }
}

TEST(recipes, keep_the_key_of_a_minimum_hold_under_another_owner) {
    for (auto const* recipe : all_recipes) {
        auto const keys = keys_of(*recipe);
        auto context = about(keys);
        auto const at_once = words_in(recipe->release(context).bytes).at(0);
        context.kept_for = base::milliseconds(1'234);
        auto const kept = recipe->release(context);
        auto const sent = words_in(kept.bytes).at(0);
        EXPECT_EQ(kept.text_of, recipe->release(about(keys)).text_of) << recipe->kind;
        for (auto const* const added : {"1234", "uuid:0"}) {
            EXPECT_THAT(sent, Contains(added)) << recipe->kind;
            EXPECT_THAT(at_once, Not(Contains(added))) << recipe->kind;
        }
    }
}

TEST(recipes, refuse_replies_that_are_none) {
    using kind = acquire_answer::kind;
    for (auto const* recipe : all_recipes) {
        EXPECT_EQ(recipe->read_acquire(scripted::integer(1'500)).what, kind::busy) << recipe->kind;
        for (auto const& odd : {scripted::integer(-2), scripted::status("OK"), scripted::string("1"),
                                scripted::array({}), scripted::array({scripted::integer(1), scripted::integer(-1)})})
            EXPECT_EQ(recipe->read_acquire(odd).what, kind::not_understood) << recipe->kind;
    }
}

TEST(election_recipe, takes_the_lock_as_a_fenced_one_and_never_twice) {
    auto const keys = keys_of(election_recipe);
    EXPECT_TRUE(election_recipe.always_fencing);
    EXPECT_THAT(after_script(election_recipe.acquire(fenced(keys)), scripts::fenced_acquire),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7"));
    EXPECT_FALSE(election_recipe.reentrant);
    EXPECT_FALSE(election_recipe.local_handoff) << "each term is to have a token of its own";
    EXPECT_EQ(election_recipe.plain, nullptr);
}

TEST(election_recipe, has_its_candidate_in_the_id_of_the_owner) {
    for (auto const* const candidate : {"ann", ":", "a:b", "write"}) {
        auto const id = "uuid:7" + election::owner_suffix(candidate);
        EXPECT_EQ(election::candidate_in(id), candidate) << id;
    }
    EXPECT_EQ(election::owner_suffix(""), "");
    for (auto const* const id : {"", "uuid", "uuid:7", "uuid:7:", ":"}) EXPECT_EQ(election::candidate_in(id), "") << id;
}

TEST(election_recipe, reads_who_leads_and_nothing_else) {
    using scripted::array;
    using scripted::integer;
    using scripted::string;
    auto const led = election::read(array({integer(1), integer(500), string("uuid:7:ann"), string("12")}));
    ASSERT_TRUE(led);
    EXPECT_TRUE(led->changed);
    EXPECT_EQ(led->owner_id, "uuid:7:ann");
    EXPECT_EQ(led->token, 12U);
    EXPECT_EQ(led->remaining_lease, base::milliseconds(500));
    auto const late = election::read(array({integer(0), integer(9'000'000'000'000'000), string("u:1"), string("")}));
    EXPECT_EQ(late->remaining_lease, base::countable(9'000'000'000'000'000)) << "more than our clocks can count to";
    EXPECT_GT(base::later(base::instant(), *late->remaining_lease), base::instant());
    auto const none = election::read(array({integer(0), integer(-2), string(""), string("")}));
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->changed);
    EXPECT_EQ(none->owner_id, "");
    for (auto const* const odd : {"", "-1", "1x", "99999999999999999999"})
        EXPECT_EQ(election::read(array({integer(0), integer(1), string("u:1"), string(odd)}))->token, std::nullopt)
            << odd;
    for (auto const& odd : {integer(1), array({}), array({integer(1), integer(1), string("u:1")}),
                            array({integer(1), integer(-2), string("u:1"), string("")}),
                            array({integer(1), integer(1), string(""), string("")}),
                            array({integer(1), integer(-3), string("u:1"), string("")}),
                            array({integer(1), string("1"), string("u:1"), string("")}),
                            array({integer(1), integer(1), integer(1), string("")})})
        EXPECT_FALSE(election::read(odd));
}

TEST(election_kind, waits_as_long_as_the_leader_may_live_and_asks_while_there_is_none) {
    using kind = acquire_answer::kind;
    using scripted::array;
    using scripted::integer;
    using scripted::string;
    EXPECT_EQ(election_kind.channel("orders"), "redisson_lock__channel:{orders}");
    EXPECT_THAT(
        after_script(election_kind.ask({.name = "orders", .channel = "c", .known = "u:1"}), scripts::election_leader),
        ElementsAre("2", "orders", "redisson_lock_token:{orders}", "u:1"));
    auto const same = election_kind.read(array({integer(0), integer(500), string("u:1"), string("")}));
    EXPECT_EQ(same.what, kind::busy);
    EXPECT_EQ(same.retry_after, base::milliseconds(500));
    auto const none = election_kind.read(array({integer(0), integer(-2), string(""), string("")}));
    EXPECT_EQ(none.what, kind::busy);
    EXPECT_EQ(none.retry_after, election::vacancy_pause);
    auto const changed = election_kind.read(array({integer(1), integer(500), string("u:2"), string("")}));
    EXPECT_EQ(changed.what, kind::acquired);
    EXPECT_EQ(election_kind.read(integer(0)).what, kind::not_understood);
}

TEST(spin_recipe, tells_nobody) {
    auto const keys = keys_of(spin_recipe);
    EXPECT_EQ(keys.channel, "");
    EXPECT_THAT(after_script(spin_recipe.release(about(keys)), scripts::lock_release),
                ElementsAre("1", "orders", "uuid:7"));
    EXPECT_THAT(after_script(spin_recipe.force_release(about(keys)), scripts::lock_force_release),
                ElementsAre("1", "orders"));
    EXPECT_THAT(commands_in(spin_recipe.plain->release(about(keys)).bytes), ElementsAre("HDEL orders uuid:7"));
}

TEST(spin_recipe, reads_a_plain_release) {
    using kind = release_answer::kind;
    auto const read = spin_recipe.plain->read_release;
    EXPECT_EQ(read(scripted::integer(1), nullptr).what, kind::released);
    EXPECT_EQ(read(scripted::integer(0), nullptr).what, kind::not_held);
    for (auto const& odd : {scripted::integer(2), scripted::integer(-1), scripted::nil(), scripted::status("OK")})
        EXPECT_EQ(read(odd, nullptr).what, kind::not_understood);
}

TEST(fenced_recipe, composes_its_calls) {
    auto const keys = keys_of(fenced_recipe);
    EXPECT_THAT(after_script(fenced_recipe.acquire(fenced(keys)), scripts::fenced_acquire),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7"));
    auto counted = fenced(keys);
    counted.count_listeners = true;
    EXPECT_THAT(after_script(fenced_recipe.acquire(counted), scripts::fenced_acquire),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7",
                            "redisson_lock__channel:{orders}"));
    EXPECT_THAT(after_script(fenced_recipe.acquire(fenced(keys, base::milliseconds(90'000))), scripts::fenced_acquire),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7", "", "90000"))
        << "in place of a channel nothing, or the time would stand there";
    EXPECT_THAT(after_script(fenced_recipe.set_count(fenced(keys), 3), scripts::fenced_reenter),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7", "3"));
    EXPECT_EQ(fenced_recipe.set_count(about(keys), 3).bytes, reentrant_recipe.set_count(about(keys), 3).bytes)
        << "a partial release is no acquisition";
}

TEST(recipes, bring_a_token_where_it_is_asked_for_and_send_the_same_as_ever_where_it_is_not) {
    for (auto const* recipe : all_recipes) {
        if (recipe->shared) continue;
        SCOPED_TRACE(recipe->kind);
        auto const keys = keys_of(*recipe);
        for (auto const& call : {recipe->acquire(fenced(keys)), recipe->set_count(fenced(keys), 2)})
            EXPECT_THAT(words_in(call.bytes).at(0), ::testing::Contains("redisson_lock_token:{orders}"));
        auto asked_in_vain = about(keys);
        asked_in_vain.counter_ttl = base::milliseconds(86'400'000);
        for (auto const& call : {recipe->acquire(asked_in_vain), recipe->set_count(asked_in_vain, 2)}) {
            EXPECT_THAT(words_in(call.bytes).at(0),
                        ::testing::Not(::testing::Contains("redisson_lock_token:{orders}")));
            EXPECT_THAT(words_in(call.bytes).at(0), ::testing::Not(::testing::Contains("86400000")));
        }
        for (auto const& call : {recipe->acquire(fenced(keys, base::milliseconds(86'400'000))),
                                 recipe->set_count(fenced(keys, base::milliseconds(86'400'000)), 2)})
            EXPECT_EQ(words_in(call.bytes).at(0).back(), "86400000") << "for how long the counter stays";
    }
}

TEST(recipes, read_a_token) {
    using kind = acquire_answer::kind;
    for (auto const* recipe : all_recipes) {
        if (recipe->shared) continue;
        SCOPED_TRACE(recipe->kind);
        auto const got = recipe->read_acquire(scripted::array({scripted::integer(41)}));
        EXPECT_EQ(got.what, kind::acquired);
        EXPECT_EQ(got.token, 41U);
        auto const busy = recipe->read_acquire(scripted::array({scripted::integer(1'500), scripted::integer(7)}));
        EXPECT_EQ(busy.what, kind::busy);
        EXPECT_EQ(busy.listeners, 7);
        EXPECT_EQ(busy.token, 0U);
        auto const again = recipe->read_count(scripted::array({scripted::integer(42)}));
        EXPECT_EQ(again.what, count_answer::written);
        EXPECT_EQ(again.token, 42U);
        EXPECT_EQ(recipe->read_count(scripted::integer(1)).token, 0U);
        for (auto const& odd : {scripted::integer(0), scripted::integer(-1), scripted::string("41x"),
                                scripted::string("-1"), scripted::string("9223372036854775808")}) {
            EXPECT_EQ(recipe->read_acquire(scripted::array({odd})).what, kind::not_understood);
            EXPECT_EQ(recipe->read_count(scripted::array({odd})).what, count_answer::not_understood);
        }
    }
}

TEST(fenced_recipe, gives_each_owner_a_token_of_its_own) {
    EXPECT_TRUE(fenced_recipe.always_fencing);
    EXPECT_FALSE(reentrant_recipe.always_fencing);
    EXPECT_FALSE(fenced_recipe.local_handoff);
    EXPECT_EQ(fenced_recipe.plain, nullptr) << "no plain command counts and takes at once";
}

TEST(fair_recipe, composes_its_calls) {
    auto const keys = keys_of(fair_recipe);
    auto context = about(keys);
    context.waiter_timeout = base::milliseconds(300'000);
    EXPECT_THAT(after_script(fair_recipe.acquire(context), scripts::fair_acquire),
                ElementsAre("3", "orders", "redisson_lock_queue:{orders}", "redisson_lock_timeout:{orders}", "30000",
                            "uuid:7", "300000", "1"));
    context.fencing = true;
    EXPECT_THAT(after_script(fair_recipe.acquire(context), scripts::fair_acquire),
                ElementsAre("4", "orders", "redisson_lock_queue:{orders}", "redisson_lock_timeout:{orders}",
                            "redisson_lock_token:{orders}", "30000", "uuid:7", "300000", "1"));
    context.fencing = false;
    auto once = context;
    once.may_wait = false;
    EXPECT_EQ(after_script(fair_recipe.acquire(once), scripts::fair_acquire).back(), "0");
    EXPECT_THAT(after_script(fair_recipe.release(context), scripts::fair_release),
                ElementsAre("3", "orders", "redisson_lock_queue:{orders}", "redisson_lock_timeout:{orders}", "uuid:7",
                            "PUBLISH", "redisson_lock__channel:{orders}", "300000"));
    EXPECT_THAT(after_script(fair_recipe.force_release(context), scripts::fair_release),
                ElementsAre("3", "orders", "redisson_lock_queue:{orders}", "redisson_lock_timeout:{orders}", "",
                            "PUBLISH", "redisson_lock__channel:{orders}", "300000"));
}

TEST(fair_recipe, has_a_channel_for_each_waiter_and_leaves_the_order_to_the_server) {
    EXPECT_TRUE(fair_recipe.queues_on_server());
    EXPECT_EQ(fair_recipe.waiter_channel(about(keys_of(fair_recipe))), "redisson_lock__channel:{orders}:uuid:7");
    EXPECT_FALSE(fair_recipe.local_handoff);
    EXPECT_EQ(fair_recipe.plain, nullptr);
    EXPECT_FALSE(reentrant_recipe.queues_on_server());
}

TEST(non_reentrant_recipe, is_the_re_entrant_one_on_the_wire) {
    auto const keys = keys_of(non_reentrant_recipe);
    EXPECT_FALSE(non_reentrant_recipe.reentrant);
    EXPECT_TRUE(reentrant_recipe.reentrant);
    EXPECT_EQ(keys.channel, keys_of(reentrant_recipe).channel);
    EXPECT_EQ(non_reentrant_recipe.acquire(about(keys)).bytes, reentrant_recipe.acquire(about(keys)).bytes);
    EXPECT_EQ(non_reentrant_recipe.plain, reentrant_recipe.plain);
}

TEST(non_reentrant_fair_recipe, is_the_fair_one_on_the_wire) {
    auto const keys = keys_of(non_reentrant_fair_recipe);
    EXPECT_FALSE(non_reentrant_fair_recipe.reentrant);
    EXPECT_TRUE(fair_recipe.reentrant);
    EXPECT_TRUE(non_reentrant_fair_recipe.queues_on_server());
    EXPECT_FALSE(non_reentrant_fair_recipe.local_handoff);
    EXPECT_EQ(non_reentrant_fair_recipe.acquire(about(keys)).bytes, fair_recipe.acquire(about(keys)).bytes);
    EXPECT_EQ(non_reentrant_fair_recipe.release(about(keys)).bytes, fair_recipe.release(about(keys)).bytes);
    EXPECT_EQ(non_reentrant_fair_recipe.force_release(about(keys)).bytes, fair_recipe.force_release(about(keys)).bytes);
}

TEST(read_recipe, composes_its_calls) {
    auto const keys = keys_of(read_recipe);
    EXPECT_EQ(keys.channel, "redisson_rwlock:{orders}");
    auto context = about(keys);
    EXPECT_THAT(after_script(read_recipe.acquire(context), scripts::read_acquire),
                ElementsAre("2", "orders", "{orders}:", "30000", "uuid:7", ""));
    context.counterpart_id = "uuid:6:write";
    EXPECT_EQ(after_script(read_recipe.acquire(context), scripts::read_acquire).back(), "uuid:6:write");
    EXPECT_THAT(after_script(read_recipe.set_count(context, 3), scripts::read_set_count),
                ElementsAre("2", "orders", "{orders}:", "30000", "uuid:7", "3"));
    EXPECT_THAT(after_script(read_recipe.release(context), scripts::read_write_release),
                ElementsAre("2", "orders", "{orders}:", "uuid:7", "PUBLISH", "redisson_rwlock:{orders}", "0"));
    context.kept_for = base::milliseconds(1'234);
    EXPECT_EQ(after_script(read_recipe.release(context), scripts::read_write_release)[8], "uuid:0");
    EXPECT_THAT(after_script(read_recipe.force_release(context), scripts::read_write_force_release),
                ElementsAre("2", "orders", "{orders}:", "read", "PUBLISH", "redisson_rwlock:{orders}", "0"));
    renewed_hold const both[] = {{"orders", "uuid:7"}, {"{t}rows", "uuid:8"}};
    EXPECT_THAT(
        after_script(read_recipe.renew->compose(std::span(both), base::milliseconds(30'000)), scripts::read_renew),
        ElementsAre("2", "orders", "{t}rows", "30000", "uuid:7", "{orders}:", "uuid:8", "{t}rows:"));
}

TEST(write_recipe, composes_its_calls_and_marks_its_owners) {
    auto const keys = keys_of(write_recipe);
    auto context = about(keys);
    EXPECT_EQ(write_recipe.owner_suffix, ":write");
    EXPECT_THAT(after_script(write_recipe.acquire(context), scripts::write_acquire),
                ElementsAre("1", "orders", "30000", "uuid:7"));
    EXPECT_THAT(after_script(write_recipe.acquire(fenced(keys, base::milliseconds(90'000))), scripts::write_acquire),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7", "90000"));
    EXPECT_EQ(write_recipe.set_count, reentrant_recipe.set_count);
    EXPECT_EQ(write_recipe.renew, reentrant_recipe.renew) << "renewed together";
    context.message = "000";
    EXPECT_EQ(after_script(write_recipe.release(context), scripts::read_write_release).back(), "1")
        << "all waiters of a process of Redisson's";
    context.owner_id = "uuid:7:write";
    context.kept_for = base::milliseconds(1'234);
    EXPECT_THAT(after_script(write_recipe.release(context), scripts::read_write_release),
                ElementsAre("2", "orders", "{orders}:", "uuid:7:write", "PUBLISH", "redisson_rwlock:{orders}", "1",
                            "1234", "uuid:0", "uuid:0:write"));
    EXPECT_THAT(after_script(write_recipe.force_release(context), scripts::read_write_force_release),
                ElementsAre("2", "orders", "{orders}:", "write", "PUBLISH", "redisson_rwlock:{orders}", "1"));
}

TEST(read_write_recipes, are_halves_of_one_lock) {
    EXPECT_EQ(read_recipe.counterpart, &write_recipe);
    EXPECT_EQ(write_recipe.counterpart, &read_recipe);
    EXPECT_TRUE(read_recipe.shared && read_recipe.each_waiter_asks());
    EXPECT_FALSE(write_recipe.shared || write_recipe.each_waiter_asks());
    for (auto const* half : {&read_recipe, &write_recipe}) {
        EXPECT_EQ(half->plain, nullptr);
        EXPECT_FALSE(half->local_handoff || half->takes_turns);
    }
}

TEST(read_write_recipes, know_from_the_fields_which_half_is_held) {
    auto const held = [](recipe const& half, std::vector<std::string> const& fields) {
        std::vector<resp::value> items;
        for (auto const& one : fields) items.push_back(scripted::string(one));
        return half.read_is_held(scripted::array(items));
    };
    for (auto const& [fields, reads, writes] :
         {std::tuple(std::vector<std::string>{}, false, false),
          std::tuple(std::vector<std::string>{"mode", "uuid:7"}, true, false),
          std::tuple(std::vector<std::string>{"uuid:7:write", "mode"}, false, true),
          std::tuple(std::vector<std::string>{"mode", "uuid:7:write", "uuid:8"}, true, true),
          std::tuple(std::vector<std::string>{"uuid:7"}, false, false)}) {
        EXPECT_EQ(held(read_recipe, fields), reads);
        EXPECT_EQ(held(write_recipe, fields), writes);
    }
    EXPECT_EQ(read_recipe.read_is_held(scripted::integer(1)), std::nullopt);
    EXPECT_EQ(reentrant_recipe.read_is_held(scripted::integer(1)), true);
    EXPECT_EQ(reentrant_recipe.read_is_held(scripted::array({})), std::nullopt);
}

TEST(faster_multi_recipe, has_the_fields_that_redisson_derives_from_its_values) {
    // Seen on a server beside Redisson, which tests/interop asks again.
    EXPECT_EQ(faster_multi::field_of("orders"), "fkpb4qUHoaX1lP+lHM7glg");
    EXPECT_EQ(faster_multi::field_of(""), "t6rZwibGo2uy1OSmNVe8pg");
    std::string const values[] = {"b", "a", "b"};
    EXPECT_THAT(faster_multi::fields_of(values),
                ::testing::UnorderedElementsAre(faster_multi::field_of("a"), faster_multi::field_of("b")));
    std::string const turned[] = {"a", "b"};
    EXPECT_EQ(faster_multi::fields_of(values), faster_multi::fields_of(turned)) << "order does not matter";
}

TEST(faster_multi_recipe, knows_its_fields_from_others) {
    auto const value = faster_multi::field_of("orders");
    auto const plain = faster_multi::parse(value);
    EXPECT_EQ(plain.value, value);
    EXPECT_EQ(plain.owner_id, "");
    for (auto const suffix : {faster_multi::ends_suffix, faster_multi::count_suffix}) {
        auto const text = value + ":uuid:7" + std::string(suffix);
        auto const field = faster_multi::parse(text);
        EXPECT_EQ(field.value, value);
        EXPECT_EQ(field.owner_id, "uuid:7");
        EXPECT_EQ(field.what, suffix);
    }
    for (auto const& other :
         {std::string(), std::string("mode"), std::string("00000000-0000-4000-8000-000000000000:1"), value.substr(1),
          value + "x", value + ":", value + ":lock_count", value + "::lock_count", value + ":uuid:7:else",
          "-" + value.substr(1), "-" + value.substr(1) + ":uuid:7:lock_count"})
        EXPECT_EQ(faster_multi::parse(other).value, "") << other;
}

TEST(faster_multi_recipe, composes_its_calls) {
    auto const keys = keys_of(faster_multi_recipe);
    EXPECT_EQ(keys.channel, "redisson_lock__channel:{orders}");
    std::vector<std::string> const fields{"one", "two"};
    auto context = about(keys);
    context.parts = fields;
    EXPECT_THAT(after_script(faster_multi_recipe.acquire(context), scripts::faster_multi_acquire),
                ElementsAre("1", "orders", "30000", "uuid:7", "one", "two"));
    EXPECT_THAT(after_script(faster_multi_recipe.set_count(context, 3), scripts::faster_multi_set_count),
                ElementsAre("1", "orders", "30000", "uuid:7", "3", "one", "two"));
    EXPECT_THAT(
        after_script(faster_multi_recipe.release(context), scripts::faster_multi_release),
        ElementsAre("1", "orders", "uuid:7", "PUBLISH", "redisson_lock__channel:{orders}", "", "", "one", "two"));
    context.kept_for = base::milliseconds(1'234);
    EXPECT_THAT(after_script(faster_multi_recipe.release(context), scripts::faster_multi_release),
                ElementsAre("1", "orders", "uuid:7", "PUBLISH", "redisson_lock__channel:{orders}", "1234", "uuid:0",
                            "one", "two"));
    auto with_token = fenced(keys, base::milliseconds(90'000));
    with_token.parts = fields;
    EXPECT_THAT(after_script(faster_multi_recipe.acquire(with_token), scripts::faster_multi_acquire),
                ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7", "90000", "one", "two"));
    EXPECT_THAT(
        after_script(faster_multi_recipe.set_count(with_token, 3), scripts::faster_multi_set_count),
        ElementsAre("2", "orders", "redisson_lock_token:{orders}", "30000", "uuid:7", "3", "90000", "one", "two"));
    with_token.counter_ttl = {};
    EXPECT_EQ(after_script(faster_multi_recipe.acquire(with_token), scripts::faster_multi_acquire)[5], "");
    EXPECT_THAT(after_script(faster_multi_recipe.force_release(context), scripts::faster_multi_force_release),
                ElementsAre("1", "orders", "PUBLISH", "redisson_lock__channel:{orders}", "one", "two"));
    for (auto const question : {faster_multi_recipe.is_held, faster_multi_recipe.lease_left})
        EXPECT_THAT(after_script(question(context), scripts::faster_multi_look),
                    ElementsAre("1", "orders", "one", "two"));
    std::vector<std::string> const another{"three"};
    renewed_hold const both[] = {{"orders", "uuid:7", fields}, {"rows", "uuid:8", another}};
    EXPECT_THAT(after_script(faster_multi_recipe.renew->compose(std::span(both), base::milliseconds(30'000)),
                             scripts::faster_multi_renew),
                ElementsAre("2", "orders", "rows", "30000", "uuid:7", "2", "one", "two", "uuid:8", "1", "three"));
}

TEST(faster_multi_recipe, is_handed_off_and_tells_no_turns) {
    EXPECT_TRUE(faster_multi_recipe.local_handoff);
    EXPECT_TRUE(faster_multi_recipe.reentrant);
    EXPECT_FALSE(faster_multi_recipe.takes_turns) << "most messages are about other values";
    EXPECT_EQ(faster_multi_recipe.plain, nullptr);
    EXPECT_EQ(faster_multi_recipe.read_is_held(scripted::integer(0)), true) << "its last millisecond";
    EXPECT_EQ(faster_multi_recipe.read_is_held(scripted::integer(-2)), false);
    EXPECT_EQ(faster_multi_recipe.read_is_held(scripted::nil()), std::nullopt);
}

TEST(recipes, of_a_whole_key_ask_for_its_expiry) {
    EXPECT_THAT(commands_in(reentrant_recipe.lease_left(about(keys_of(reentrant_recipe))).bytes),
                ElementsAre("PTTL orders"));
}

} // namespace
} // namespace redlatch::locking
