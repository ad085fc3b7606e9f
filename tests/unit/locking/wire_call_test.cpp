#include "locking/dumped_hash.hpp"
#include "locking/recipes/recipes.hpp"
#include "locking/wire_call.hpp"
#include "scripted/replies.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <limits>

namespace redlatch::locking {
namespace {

using scripted::words_in;
using ::testing::ElementsAre;

using words = std::vector<std::string>;

/// Both forms, without the command's own name and the script: they must be the same.
words arguments_of(wire_call const& call, script const& which) {
    auto const by_sha = words_in(call.bytes);
    auto const in_full = words_in(by_text(which, call.bytes));
    EXPECT_EQ(call.text_of, &which);
    EXPECT_EQ(call.replies, 1);
    EXPECT_EQ(by_sha.size(), 1U);
    EXPECT_EQ(in_full.size(), 1U);
    EXPECT_EQ(by_sha[0][0], "EVALSHA");
    EXPECT_EQ(by_sha[0][1], which.sha1);
    EXPECT_EQ(in_full[0][0], "EVAL");
    EXPECT_EQ(in_full[0][1], which.text);
    EXPECT_EQ(call.key(), by_sha[0][2] == "0" ? "" : by_sha[0][3]);
    words const tail(by_sha[0].begin() + 2, by_sha[0].end());
    EXPECT_EQ(words(in_full[0].begin() + 2, in_full[0].end()), tail);
    return tail;
}

TEST(wire_call, has_no_key_before_it_is_made) {
    EXPECT_EQ(wire_call{}.key(), "");
}

TEST(script_call, carries_the_same_arguments_by_sha_and_by_text) {
    auto const call = script_call(scripts::lock_release, {"name", "token"}, {"owner", "PUBLISH"});
    EXPECT_THAT(arguments_of(call, scripts::lock_release), ElementsAre("2", "name", "token", "owner", "PUBLISH"));
}

TEST(script_call, needs_neither_keys_nor_arguments) {
    EXPECT_THAT(arguments_of(script_call(scripts::lock_renew, {}, {}), scripts::lock_renew), ElementsAre("0"));
}

TEST(script_call, carries_any_bytes) {
    std::string const odd("\r\n$3\r\nabc\r\n\0\xff", 13);
    auto const call = script_call(scripts::lock_acquire, {odd}, {"", odd});
    EXPECT_THAT(arguments_of(call, scripts::lock_acquire), ElementsAre("1", odd, "", odd));
}

TEST(script_call, is_not_led_astray_by_an_argument_that_looks_like_a_script) {
    auto const sha = std::string(scripts::lock_acquire.sha1);
    auto const call = script_call(scripts::lock_acquire, {sha}, {sha, "EVALSHA"});
    EXPECT_THAT(arguments_of(call, scripts::lock_acquire), ElementsAre("1", sha, sha, "EVALSHA"));
}

TEST(script_call, counts_many_keys) {
    std::vector<std::string_view> const keys(1'000, "k");
    std::vector<std::string_view> const arguments(1'001, "a");
    auto const tail = arguments_of(script_call(scripts::lock_renew, keys, arguments), scripts::lock_renew);
    EXPECT_EQ(tail.front(), "1000");
    EXPECT_EQ(tail.size(), 2'002U);
}

TEST(command_call, names_its_key_whatever_it_looks_like) {
    for (auto const& odd : {std::string("$3\r\nHDEL\r\n"), std::string("\0", 1), std::string()}) {
        auto const call = command_call(command_call("HDEL", odd, {odd}), {"PUBLISH", odd});
        EXPECT_EQ(call.key(), odd);
        EXPECT_EQ(call.replies, 2);
        EXPECT_THAT(words_in(call.bytes), ElementsAre(ElementsAre("HDEL", odd, odd), ElementsAre("PUBLISH", odd)));
    }
}

TEST(wire_call, that_nobody_has_composed_names_no_key) {
    EXPECT_EQ(wire_call().key(), "");
}

// --- what the reentrant recipe makes of it (protocol section 1)

call_context const about{.name = "orders",
                         .channel_prefix = "redisson_lock__channel",
                         .owner_id = "uuid:7",
                         .lease = base::milliseconds(30'000)};

TEST(reentrant_recipe, composes_its_calls) {
    auto const& how = reentrant_recipe;
    EXPECT_THAT(arguments_of(how.acquire(about), scripts::lock_acquire), ElementsAre("1", "orders", "30000", "uuid:7"));
    auto waiting = about;
    waiting.count_listeners = true;
    EXPECT_THAT(arguments_of(how.acquire(waiting), scripts::lock_acquire),
                ElementsAre("1", "orders", "30000", "uuid:7", "redisson_lock__channel:{orders}"));
    EXPECT_THAT(arguments_of(how.set_count(about, 3), scripts::lock_set_count),
                ElementsAre("1", "orders", "30000", "uuid:7", "3"));
    EXPECT_THAT(arguments_of(how.release(about), scripts::lock_release),
                ElementsAre("1", "orders", "uuid:7", "PUBLISH", "redisson_lock__channel:{orders}"));
    auto going_on = about;
    going_on.message = turn_goes_on;
    EXPECT_THAT(arguments_of(how.release(going_on), scripts::lock_release),
                ElementsAre("1", "orders", "uuid:7", "PUBLISH", "redisson_lock__channel:{orders}", "00"));
    EXPECT_THAT(arguments_of(how.force_release(about), scripts::lock_force_release),
                ElementsAre("1", "orders", "PUBLISH", "redisson_lock__channel:{orders}"));
    EXPECT_EQ(prefixed(how.channel_prefix, "orders"), "redisson_lock__channel:{orders}");
}

TEST(reentrant_recipe, reads_an_acquisition) {
    using kind = acquire_answer::kind;
    auto const read = reentrant_recipe.read_acquire;
    EXPECT_EQ(read(scripted::nil()).what, kind::acquired);
    EXPECT_EQ(read(scripted::integer(1'500)).what, kind::busy);
    EXPECT_EQ(read(scripted::integer(1'500)).retry_after, base::milliseconds(1'500));
    EXPECT_EQ(read(scripted::integer(0)).retry_after, base::milliseconds(0));
    EXPECT_EQ(read(scripted::integer(-1)).what, kind::busy) << "a key without expiry";
    EXPECT_EQ(read(scripted::integer(-1)).retry_after, std::nullopt);
    auto const counted = read(scripted::array({scripted::integer(1'500), scripted::integer(7)}));
    EXPECT_EQ(counted.what, kind::busy);
    EXPECT_EQ(counted.retry_after, base::milliseconds(1'500));
    EXPECT_EQ(counted.listeners, 7);
    EXPECT_EQ(read(scripted::integer(1'500)).listeners, std::nullopt);
    auto const reply = scripted::array({scripted::integer(1'500), scripted::error("NOPERM no")});
    auto const uncounted = read(reply);
    EXPECT_EQ(uncounted.what, kind::busy);
    EXPECT_EQ(uncounted.retry_after, base::milliseconds(1'500));
    EXPECT_EQ(uncounted.listeners, std::nullopt);
    EXPECT_EQ(uncounted.count_refused, "NOPERM no");
    for (auto const& odd :
         {scripted::integer(-2), scripted::status("OK"), scripted::string("1"), scripted::array({}),
          scripted::array({scripted::integer(0)}), scripted::array({scripted::integer(1), scripted::integer(-1)}),
          scripted::array({scripted::integer(1), scripted::string("7")}),
          scripted::array({scripted::integer(-2), scripted::integer(7)}),
          scripted::array({scripted::integer(1), scripted::integer(2), scripted::integer(3)})})
        EXPECT_EQ(read(odd).what, kind::not_understood);
}

TEST(reentrant_recipe, reads_an_expiry_that_no_clock_of_ours_can_count_to) {
    auto const longest = reentrant_recipe.read_acquire(scripted::integer(std::numeric_limits<std::int64_t>::max()));
    base::instant const now(std::chrono::seconds(1));
    EXPECT_GT(base::later(now, longest.retry_after.value()), now + std::chrono::years(100));
}

TEST(reentrant_recipe, reads_a_count) {
    auto const read = reentrant_recipe.read_count;
    EXPECT_EQ(read(scripted::integer(1)).what, count_answer::written);
    EXPECT_EQ(read(scripted::integer(0)).what, count_answer::not_held);
    for (auto const& odd : {scripted::integer(2), scripted::integer(-1), scripted::nil(), scripted::string("1")})
        EXPECT_EQ(read(odd).what, count_answer::not_understood);
}

using released = release_answer::kind;

TEST(reentrant_recipe, reads_a_release) {
    auto const read = reentrant_recipe.read_release;
    EXPECT_EQ(read(scripted::integer(1)).what, released::released);
    EXPECT_EQ(read(scripted::integer(1)).heard_by, 0);
    EXPECT_EQ(read(scripted::integer(3)).what, released::released);
    EXPECT_EQ(read(scripted::integer(3)).heard_by, 2);
    EXPECT_TRUE(read(scripted::integer(3)).announced);
    EXPECT_EQ(read(scripted::integer(-1)).what, released::released_silently);
    EXPECT_EQ(read(scripted::integer(0)).what, released::not_held);
    for (auto const& odd : {scripted::integer(-2), scripted::nil(), scripted::status("OK")})
        EXPECT_EQ(read(odd).what, released::not_understood);
}

// --- without scripts

TEST(reentrant_recipe, composes_plain_commands) {
    auto const& how = *reentrant_recipe.plain;
    auto const take = how.acquire(about);
    EXPECT_EQ(take.replies, 1);
    EXPECT_FALSE(take.is_script());
    EXPECT_EQ(take.key(), "orders");
    EXPECT_THAT(scripted::commands_in(take.bytes),
                ElementsAre("RESTORE orders 30000 " + std::string(dumped_hash("uuid:7").bytes())));
    auto const give_back = how.release(about);
    EXPECT_EQ(give_back.replies, 2);
    EXPECT_FALSE(give_back.is_script());
    EXPECT_EQ(give_back.key(), "orders");
    EXPECT_THAT(scripted::commands_in(give_back.bytes),
                ElementsAre("HDEL orders uuid:7", "PUBLISH redisson_lock__channel:{orders} 0"));
    EXPECT_THAT(scripted::commands_in(how.announce(about).bytes),
                ElementsAre("PUBLISH redisson_lock__channel:{orders} 0"));
    EXPECT_EQ(how.announce(about).key(), about.channel().view())
        << "which is where the lock is: it has the lock's name in braces";
}

TEST(reentrant_recipe, reads_a_plain_acquisition) {
    using kind = acquire_answer::kind;
    auto const read = reentrant_recipe.plain->read_acquire;
    EXPECT_EQ(read(scripted::status("OK")).what, kind::acquired);
    EXPECT_EQ(read(scripted::error("BUSYKEY Target key name already exists.")).what, kind::key_exists);
    for (auto const& odd : {scripted::integer(1), scripted::nil(), scripted::string("OK"), scripted::error("BUSY x"),
                            scripted::status("QUEUED")})
        EXPECT_EQ(read(odd).what, kind::not_understood);
}

TEST(reentrant_recipe, reads_a_plain_release) {
    auto const read = reentrant_recipe.plain->read_release;
    auto const told = scripted::integer(2);
    auto const forbidden = scripted::error("NOPERM no channel for you");
    auto const loading = scripted::error("LOADING");
    EXPECT_EQ(read(scripted::integer(1), &told).what, released::released);
    EXPECT_EQ(read(scripted::integer(1), &told).heard_by, 2);
    EXPECT_TRUE(read(scripted::integer(1), &told).announced);
    EXPECT_EQ(read(scripted::integer(1), &forbidden).what, released::released_silently);
    EXPECT_TRUE(read(scripted::integer(1), &forbidden).announced) << "as much as it can be";
    EXPECT_EQ(read(scripted::integer(0), &told).what, released::not_held);
    EXPECT_TRUE(read(scripted::integer(0), &told).announced);
    EXPECT_EQ(read(scripted::integer(0), &forbidden).what, released::not_held);
    EXPECT_TRUE(read(scripted::integer(0), &forbidden).announced) << "to send it again would be refused again";
    for (auto const* unknown : {&loading, static_cast<resp::value const*>(nullptr)}) {
        EXPECT_EQ(read(scripted::integer(1), unknown).what, released::released);
        EXPECT_FALSE(read(scripted::integer(1), unknown).announced);
        EXPECT_FALSE(read(scripted::integer(0), unknown).announced) << "an earlier copy may have released it";
    }
    for (auto const& odd : {scripted::integer(2), scripted::integer(-1), scripted::nil(), scripted::status("OK")})
        EXPECT_EQ(read(odd, &told).what, released::not_understood);
}

} // namespace
} // namespace redlatch::locking
