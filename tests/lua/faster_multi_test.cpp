// Values of a group: each is held by itself, all are taken or none.
#include "lua/script_test.hpp"

#include <gmock/gmock.h>
#include <map>

namespace redlatch::test {
namespace {

using locking::scripts::faster_multi_acquire;
using locking::scripts::faster_multi_force_release;
using locking::scripts::faster_multi_look;
using locking::scripts::faster_multi_release;
using locking::scripts::faster_multi_renew;
using locking::scripts::faster_multi_set_count;
using ::testing::Contains;

class faster_multi_script : public script_test {
protected:
    static words with(words first, words const& values) {
        first.insert(first.end(), values.begin(), values.end());
        return first;
    }
    std::string acquire(std::string const& owner, words const& values, std::string const& lease = "100000") {
        return shown(call(faster_multi_acquire, {"group"}, with({lease, owner}, values)));
    }
    std::string set_count(std::string const& owner, int count, words const& values,
                          std::string const& lease = "100000") {
        return shown(call(faster_multi_set_count, {"group"}, with({lease, owner, std::to_string(count)}, values)));
    }
    std::string release(std::string const& owner, words const& values) {
        return shown(call(faster_multi_release, {"group"}, with({owner, "PUBLISH", "channel", "", ""}, values)));
    }
    std::string release_to_keep(std::string const& owner, words const& values) {
        return shown(
            call(faster_multi_release, {"group"}, with({owner, "PUBLISH", "channel", "50000", "me:0"}, values)));
    }
    std::string force(words const& values) {
        return shown(call(faster_multi_force_release, {"group"}, with({"PUBLISH", "channel"}, values)));
    }
    std::string look(words const& values) { return shown(call(faster_multi_look, {"group"}, values)); }

    std::string left(std::string const& text) {
        return shown({.type = resp::value::kind::integer, .integer = std::stoll(text) - server_time()});
    }
    /// "a=me:1 x1 100s": who has the value, how often, for how long. What is left of others: "left a:me:1:lock_count".
    words group() {
        auto const fields = command({"HGETALL", "group"}).items;
        std::map<std::string, std::string> all;
        for (std::size_t i = 0; i + 1 < fields.size(); i += 2) all[fields[i].text] = fields[i + 1].text;
        words lines;
        for (auto const& [field, owner] : all) {
            if (field.find(':') != std::string::npos) continue;
            auto const hold = field + ":" + owner;
            lines.push_back(field + "=" + owner + " x" + all.at(hold + ":lock_count") + " "
                            + left(all.at(hold + ":expire_time")));
        }
        for (auto const& [field, value] : all) {
            auto const of = field.substr(0, field.find(':'));
            bool const belongs = of == field || (all.contains(of) && field.starts_with(of + ":" + all[of] + ":"));
            if (!belongs) lines.push_back("left " + field);
        }
        if (!lines.empty()) lines.push_back("key " + shown(command({"PTTL", "group"})));
        return lines;
    }
    /// As Redisson leaves it; `ends`: from now on.
    void hold(std::string const& owner, std::string const& value, long long ends, std::string const& count = "1") {
        command({"HSET", "group", value, owner, value + ":" + owner + ":expire_time",
                 std::to_string(server_time() + ends), value + ":" + owner + ":lock_count", count});
        if (command({"PTTL", "group"}).integer == -1) command({"PEXPIRE", "group", "300000"});
    }
};
REDLATCH_ON_EVERY_SERVER(faster_multi_script);

TEST_P(faster_multi_script, takes_all_values_and_a_repeat_finds_its_own) {
    EXPECT_EQ(acquire("me:1", {"a", "b"}), "nil");
    EXPECT_EQ(group(), (words{"a=me:1 x1 100s", "b=me:1 x1 100s", "key 100s"}));
    EXPECT_EQ(acquire("me:1", {"a", "b"}), "nil") << "a repeat";
    EXPECT_EQ(group(), (words{"a=me:1 x1 100s", "b=me:1 x1 100s", "key 100s"}));
}

TEST_P(faster_multi_script, lets_a_late_copy_of_an_acquisition_change_neither_count_nor_lease) {
    acquire("me:1", {"a"}, "200000");
    set_count("me:1", 2, {"a"}, "200000");
    EXPECT_EQ(acquire("me:1", {"a"}, "50000"), "nil");
    EXPECT_EQ(group(), (words{"a=me:1 x2 200s", "key 200s"}));
}

TEST_P(faster_multi_script, takes_all_or_none_and_tells_when_the_last_lease_is_over) {
    acquire("you:1", {"b"});
    acquire("she:1", {"c"}, "200000");
    EXPECT_EQ(acquire("me:1", {"a", "b"}), "100s");
    EXPECT_EQ(acquire("me:1", {"c", "b", "a"}), "200s");
    EXPECT_EQ(acquire("me:1", {"b", "c"}), "200s");
    EXPECT_EQ(group(), (words{"b=you:1 x1 100s", "c=she:1 x1 200s", "key 200s"}));
    EXPECT_EQ(acquire("me:1", {"a", "d"}), "nil") << "others' values keep nobody out";
    EXPECT_EQ(group(), (words{"a=me:1 x1 100s", "b=you:1 x1 100s", "c=she:1 x1 200s", "d=me:1 x1 100s", "key 200s"}));
}

TEST_P(faster_multi_script, prolongs_the_key_to_the_longest_lease_and_never_shortens_it) {
    acquire("you:1", {"a"}, "50000");
    acquire("me:1", {"b"});
    EXPECT_EQ(group().back(), "key 100s");
    acquire("she:1", {"c"}, "10000");
    EXPECT_EQ(group().back(), "key 100s");
}

TEST_P(faster_multi_script, takes_over_what_is_beyond_its_lease_with_what_its_owner_left) {
    hold("you:1", "a", -1, "2");
    hold("you:1", "b", 100'000);
    EXPECT_EQ(look({"a"}), "-2");
    EXPECT_EQ(acquire("me:1", {"a"}), "nil");
    EXPECT_EQ(group(), (words{"a=me:1 x1 100s", "b=you:1 x1 100s", "key 300s"}));
    EXPECT_EQ(release("you:1", {"a"}), "0");
    EXPECT_EQ(group(), (words{"a=me:1 x1 100s", "b=you:1 x1 100s", "key 300s"})) << "it is another one's now";
}

TEST_P(faster_multi_script, takes_a_value_that_has_no_lease) {
    command({"HSET", "group", "a", "you:1"});
    EXPECT_EQ(acquire("me:1", {"a"}), "nil");
    command({"HSET", "group", "a:me:1:expire_time", "soon"});
    EXPECT_EQ(acquire("you:1", {"a"}), "nil") << "nor one that is no number";
}

TEST_P(faster_multi_script, leaves_nothing_for_ever_without_the_right_to_let_it_expire) {
    auto user = restricted({"-pexpire"});
    EXPECT_EQ(shown(call(user, faster_multi_acquire, {"group"}, {"100000", "me:1", "a", "b"})).front(), '!');
    EXPECT_EQ(state(), words{});
}

TEST_P(faster_multi_script, writes_the_count_of_all_values_or_of_none) {
    acquire("me:1", {"a", "b"});
    EXPECT_EQ(set_count("me:1", 2, {"a", "b"}, "200000"), "1");
    EXPECT_EQ(set_count("me:1", 2, {"a", "b"}, "50000"), "1") << "a repeat";
    EXPECT_EQ(group(), (words{"a=me:1 x2 200s", "b=me:1 x2 200s", "key 200s"}));
    EXPECT_EQ(set_count("you:1", 3, {"a"}), "0");
    force({"a"});
    EXPECT_EQ(set_count("me:1", 1, {"a", "b"}), "0");
    EXPECT_EQ(set_count("me:1", 1, {"b", "a"}), "0");
    EXPECT_EQ(group(), (words{"b=me:1 x2 200s", "key 200s"}));
}

TEST_P(faster_multi_script, releases_whatever_the_count_and_tells_once) {
    acquire("me:1", {"a", "b"});
    acquire("you:1", {"c"});
    set_count("me:1", 3, {"a", "b"});
    listener ear(server());
    EXPECT_EQ(release("me:1", {"a", "b"}), "2");
    EXPECT_EQ(release("me:1", {"a", "b"}), "0") << "a repeat";
    EXPECT_EQ(release("me:1", {"c"}), "0") << "another one's";
    EXPECT_EQ(ear.heard(), words{"channel 0"});
    EXPECT_EQ(group(), (words{"c=you:1 x1 100s", "key 100s"}));
    EXPECT_EQ(release("you:1", {"c"}), "2");
    EXPECT_EQ(state(), words{}) << "the last value takes the key with it";
}

TEST_P(faster_multi_script, releases_what_is_left_of_a_hold_and_tells_of_it) {
    acquire("me:1", {"a", "b"});
    force({"a"});
    acquire("you:1", {"a"});
    listener ear(server());
    EXPECT_EQ(release("me:1", {"a", "b"}), "0") << "it was lost";
    EXPECT_EQ(ear.heard(), words{"channel 0"}) << "and who waits for b can have it";
    EXPECT_EQ(group(), (words{"a=you:1 x1 100s", "key 100s"}));
}

TEST_P(faster_multi_script, clears_away_what_a_take_over_has_left) {
    hold("me:1", "a", -1);
    command({"HSET", "group", "a", "you:1"}); // as Redisson does
    hold("you:1", "a", 100'000);
    ASSERT_THAT(group(), Contains("left a:me:1:expire_time"));
    EXPECT_EQ(release("me:1", {"a"}), "0");
    EXPECT_EQ(group(), (words{"a=you:1 x1 100s", "key 300s"}));
}

TEST_P(faster_multi_script, keeps_the_values_for_the_rest_of_a_minimum_hold_and_tells_the_waiters) {
    acquire("me:1", {"a", "b"});
    acquire("you:1", {"c"}, "10000");
    listener ear(server());
    EXPECT_EQ(release_to_keep("me:1", {"a", "b"}), "2") << "the one who listens here";
    EXPECT_EQ(ear.heard(), words{"channel 0"});
    EXPECT_EQ(group(), (words{"a=me:0 x1 50s", "b=me:0 x1 50s", "c=you:1 x1 10s", "key 100s"}));
    EXPECT_EQ(release_to_keep("me:1", {"a", "b"}), "0") << "a repeat";
    EXPECT_EQ(acquire("you:1", {"b", "c"}), "50s");
    EXPECT_EQ(ear.heard(), words{});
    EXPECT_EQ(force({"a", "b", "c"}), "1");
    EXPECT_EQ(state(), words{});
}

TEST_P(faster_multi_script, keeps_them_longer_than_the_lease_that_they_had) {
    acquire("me:1", {"a"}, "10000");
    EXPECT_EQ(release_to_keep("me:1", {"a"}), "1");
    EXPECT_EQ(group(), (words{"a=me:0 x1 50s", "key 60s"}));
}

TEST_P(faster_multi_script, keeps_the_key_a_second_longer_than_them_where_nothing_else_is_held) {
    acquire("me:1", {"a"}, "1000000");
    hold("gone:1", "b", -1'000);
    EXPECT_EQ(release_to_keep("me:1", {"a"}), "1");
    EXPECT_EQ(group(), (words{"a=me:0 x1 50s", "key 60s"}));
}

/// Each minimum hold of a value that nobody takes again leaves three fields.
TEST_P(faster_multi_script, does_not_grow_with_what_minimum_holds_have_left) {
    acquire("somebody:1", {"held"}, "1000000");
    constexpr int many = 500;
    for (int i = 0; i < many; ++i) hold("me:0", "left-" + std::to_string(i), -1'000);
    for (int i = 0; i < many; ++i) {
        acquire("me:1", {"a"});
        EXPECT_EQ(release_to_keep("me:1", {"a"}), "1");
        force({"a"});
    }
    EXPECT_LT(command({"HLEN", "group"}).integer, 3 * many / 4);
    EXPECT_EQ(look({"held"}), "1000s") << "nobody else loses anything";
}

TEST_P(faster_multi_script, keeps_them_also_for_a_user_who_may_not_look_for_what_others_have_left) {
    auto poor = restricted({"-hscan"});
    acquire("me:1", {"a"}, "10000");
    EXPECT_EQ(shown(call(poor, faster_multi_release, {"group"}, {"me:1", "PUBLISH", "channel", "50000", "me:0", "a"})),
              "1");
    EXPECT_EQ(group(), (words{"a=me:0 x1 50s", "key 60s"}));
}

TEST_P(faster_multi_script, keeps_nothing_of_what_was_ended_in_part) {
    acquire("me:1", {"a", "b"});
    force({"b"});
    acquire("you:1", {"b"});
    EXPECT_EQ(release_to_keep("me:1", {"a", "b"}), "0");
    EXPECT_EQ(group(), (words{"b=you:1 x1 100s", "key 100s"}));
}

TEST_P(faster_multi_script, counts_each_acquisition_and_re_entry_that_is_to_have_a_token) {
    auto const acquire_with_token = [&](std::string const& owner, std::string const& ttl) {
        return shown(call(faster_multi_acquire, {"group", "counter"}, {"100000", owner, ttl, "a", "b"}));
    };
    auto const set_count_with_token = [&](std::string const& owner) {
        return shown(call(faster_multi_set_count, {"group", "counter"}, {"100000", owner, "2", "50000", "a", "b"}));
    };
    EXPECT_EQ(acquire_with_token("me:1", ""), "[1]");
    EXPECT_EQ(acquire_with_token("me:1", ""), "[2]") << "a repeat: nobody has got the first one";
    EXPECT_EQ(acquire_with_token("you:1", ""), "100s") << "and counts nothing";
    EXPECT_EQ(shown(command({"PTTL", "counter"})), "-1");
    EXPECT_EQ(set_count_with_token("me:1"), "[3]");
    EXPECT_EQ(set_count_with_token("you:1"), "0");
    EXPECT_EQ(group(), (words{"a=me:1 x2 100s", "b=me:1 x2 100s", "key 100s"}));
    EXPECT_EQ(command({"GET", "counter"}).text, "3");
    EXPECT_EQ(shown(command({"PTTL", "counter"})), "50s");
    release("me:1", {"a", "b"});
    command({"SET", "counter", "x"});
    EXPECT_EQ(acquire_with_token("me:1", "").front(), '!');
    EXPECT_EQ(state(), words{"counter x no expiry"}) << "nothing is taken without its token";
    command({"DEL", "counter"});
    EXPECT_EQ(acquire_with_token("me:1", "50000"), "[1]");
    EXPECT_EQ(shown(command({"PTTL", "counter"})), "50s");
    command({"SET", "counter", "9007199254740991"});
    EXPECT_EQ(acquire_with_token("me:1", ""), "[\"9007199254740992\"]") << "no number of Lua is the next one";
    EXPECT_EQ(set_count_with_token("me:1"), "[\"9007199254740993\"]");
}

TEST_P(faster_multi_script, releases_without_the_right_to_tell) {
    acquire("me:1", {"a"});
    auto user = restricted({"-publish"});
    EXPECT_EQ(shown(call(user, faster_multi_release, {"group"}, {"me:1", "PUBLISH", "channel", "", "", "a"})), "-1");
    EXPECT_EQ(state(), words{});
    acquire("me:2", {"a"});
    EXPECT_EQ(shown(call(user, faster_multi_force_release, {"group"}, {"PUBLISH", "channel", "a"})), "2");
    EXPECT_EQ(state(), words{});
}

TEST_P(faster_multi_script, ends_by_force_the_holds_of_these_values_only) {
    acquire("you:1", {"a", "b"});
    acquire("she:1", {"c"});
    listener ear(server());
    EXPECT_EQ(force({"b", "c", "d"}), "1") << "d is free, which is no error";
    EXPECT_EQ(ear.heard(), words{"channel 0"});
    EXPECT_EQ(group(), (words{"a=you:1 x1 100s", "key 100s"}));
    EXPECT_EQ(force({"b"}), "0");
    EXPECT_EQ(ear.heard(), words{}) << "nobody is told of nothing";
    EXPECT_EQ(force({"a"}), "1");
    EXPECT_EQ(state(), words{});
}

TEST_P(faster_multi_script, finds_nothing_held_where_the_lease_is_over) {
    hold("you:1", "a", -1);
    EXPECT_EQ(force({"a"}), "0");
    EXPECT_EQ(state(), words{}) << "what was left goes all the same";
}

TEST_P(faster_multi_script, tells_for_how_long_any_of_the_values_may_be_held) {
    EXPECT_EQ(look({"a"}), "-2");
    acquire("me:1", {"a"});
    acquire("you:1", {"b"}, "200000");
    EXPECT_EQ(look({"a"}), "100s");
    EXPECT_EQ(look({"a", "b"}), "200s");
    EXPECT_EQ(look({"b", "a"}), "200s");
    EXPECT_EQ(look({"c"}), "-2");
}

TEST_P(faster_multi_script, renews_many_holds_and_names_those_that_are_gone) {
    acquire("me:1", {"a", "b"});
    acquire("you:1", {"c"});
    acquire("me:3", {"d", "e"});
    force({"e"});
    words const arguments{"200000", "me:1", "2", "a", "b", "me:2", "1", "c", "me:3", "2", "d", "e", "you:1", "1", "c"};
    EXPECT_EQ(shown(call(faster_multi_renew, {"group", "group", "group", "group"}, arguments)), "[2 3]");
    EXPECT_EQ(group(), (words{"a=me:1 x1 200s", "b=me:1 x1 200s", "c=you:1 x1 200s", "d=me:3 x1 100s", "key 200s"}));
    EXPECT_EQ(shown(call(faster_multi_renew, {"group"}, {"1", "me:1", "2", "a", "b"})), "[]") << "an ownership probe";
    EXPECT_EQ(group().front(), "a=me:1 x1 200s");
}

TEST_P(faster_multi_script, counts_another_type_as_not_held_and_says_what_is_forbidden) {
    command({"SET", "group", "text"});
    EXPECT_EQ(shown(call(faster_multi_renew, {"group"}, {"100000", "me:1", "1", "a"})), "[1]");
    for (auto const& reply :
         {acquire("me:1", {"a"}), set_count("me:1", 2, {"a"}), release("me:1", {"a"}), force({"a"}), look({"a"})})
        EXPECT_EQ(reply, "!WRONGTYPE");
    EXPECT_EQ(state(), words{"group text no expiry"});
    auto user = restricted({"-hget"});
    EXPECT_EQ(shown(call(user, faster_multi_renew, {"group"}, {"100000", "me:1", "1", "a"})).front(), '!');
}

TEST_P(faster_multi_script, takes_ten_thousand_values) {
    words values;
    for (int i = 0; i < 10'000; ++i) values.push_back("value" + std::to_string(i));
    EXPECT_EQ(acquire("me:1", values), "nil");
    EXPECT_EQ(acquire("you:1", {"a", "value9999"}), "100s");
    EXPECT_EQ(set_count("me:1", 2, values), "1");
    EXPECT_EQ(shown(call(faster_multi_renew, {"group"}, with({"100000", "me:1", "10000"}, values))), "[]");
    EXPECT_EQ(release("me:1", values), "1");
    EXPECT_EQ(state(), words{});
}

} // namespace
} // namespace redlatch::test
