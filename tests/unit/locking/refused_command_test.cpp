// Redis 6.2 and 7.0 say which line of which script a user may not run; people want to know the command.
#include "locking/refused_command.hpp"
#include "locking/script.hpp"
#include "locking/wire_call.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking {
namespace {

std::string said_by_redis_7_0(std::string_view sha1, int line) {
    return "ERR The user executing the script can't run this command or subcommand script: " + std::string(sha1)
           + ", on @user_script:" + std::to_string(line) + ".";
}

std::string said_by_redis_6_2(std::string_view sha1, int line) {
    auto const number = std::to_string(line);
    return "ERR Error running script (call to f_" + std::string(sha1) + "): @user_script:" + number
           + ": @user_script: " + number + ": The user executing the script can't run this command or subcommand";
}

/// The number of the first line that has this text.
int line_with(std::string_view script_text, std::string_view what) {
    auto const upto = script_text.substr(0, script_text.find(what));
    return 1 + static_cast<int>(std::count(upto.begin(), upto.end(), '\n'));
}

TEST(refused_command, is_read_from_the_line_of_our_script) {
    auto const& acquire = scripts::lock_acquire;
    for (std::string const command : {"hset", "pexpire", "hexists", "pttl", "pubsub"}) {
        auto const said = said_by_redis_7_0(acquire.sha1, line_with(acquire.text, "call('" + command + "'"));
        EXPECT_EQ(naming_command(said), said + " (the command is '" + command + "')");
        auto const of_6_2 = said_by_redis_6_2(acquire.sha1, line_with(acquire.text, "call('" + command + "'"));
        EXPECT_EQ(naming_command(of_6_2), of_6_2 + " (the command is '" + command + "')");
    }
    auto const& force = scripts::lock_force_release;
    auto const said = said_by_redis_7_0(force.sha1, line_with(force.text, "call('hlen'"));
    EXPECT_EQ(naming_command(said), said + " (the command is 'hlen')");
}

TEST(refused_command, is_no_other_word_of_the_line) {
    auto const& set = scripts::counter_set;
    auto const said = said_by_redis_7_0(set.sha1, line_with(set.text, "then return redis.call('set'"));
    EXPECT_EQ(naming_command(said), said + " (the command is 'set')");
    auto const& read = scripts::read_acquire;
    auto const of_read = said_by_redis_7_0(read.sha1, line_with(read.text, "local own_write"));
    EXPECT_EQ(naming_command(of_read), of_read + " (the command is 'hexists')");
}

TEST(refused_command, is_one_of_those_of_the_line) {
    auto const& acquire = scripts::faster_multi_acquire;
    auto const said = said_by_redis_7_0(acquire.sha1, line_with(acquire.text, "redis.call('pttl', KEYS[2])"));
    EXPECT_EQ(naming_command(said), said + " (the command is 'pttl' or 'pexpire')");
}

TEST(refused_command, is_not_read_beyond_the_end_of_what_the_server_said) {
    auto const& acquire = scripts::lock_acquire;
    auto said = said_by_redis_7_0(acquire.sha1, line_with(acquire.text, "call('hset'"));
    said.pop_back(); // the full stop
    auto const longer = said + "00";
    EXPECT_EQ(naming_command(std::string_view(longer).substr(0, said.size())), said + " (the command is 'hset')");
}

TEST(refused_key, is_one_of_those_of_the_call) {
    for (std::string const said :
         {"NOPERM this user has no permissions to access one of the keys used as arguments",
          "NOPERM No permissions to access a key",
          "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments "
          "script: 0f1e, on @user_script:5.",
          "ERR ACL failure in script: No permissions to access a key script: 0f1e, on @user_script:7."}) {
        EXPECT_EQ(naming_right(said, command_call("HDEL", "jobs:a", {"me"}).bytes), said + " (the key is ~jobs:a)");
        auto const two = command_call(command_call("HDEL", "jobs:a", {"me"}), {"PUBLISH", "news", "0"});
        EXPECT_EQ(naming_right(said, two.bytes), said + " (the key is ~jobs:a)");
        auto const script = script_call(scripts::fair_acquire, {"jobs:a", "queue:{jobs:a}"}, {"30000", "me"});
        auto const named = said + " (the keys are ~jobs:a ~queue:{jobs:a})";
        EXPECT_EQ(naming_right(said, script.bytes), named);
        EXPECT_EQ(naming_right(said, by_text(scripts::fair_acquire, script.bytes)), named);
    }
}

TEST(refused_key, is_shown_as_a_pattern_of_it_alone) {
    std::string const said = "NOPERM No permissions to access a key";
    EXPECT_EQ(naming_right(said, command_call("HDEL", "a*[b]?\\", {"me"}).bytes),
              said + " (the key is ~a\\*\\[b\\]\\?\\\\)");
    EXPECT_EQ(naming_right(said, command_call("HDEL", "a\nb", {"me"}).bytes), said + " (the key is ~a\\x0ab)");
    std::vector<std::string_view> const many(11, "k");
    EXPECT_EQ(naming_right(said, script_call(scripts::lock_renew, many, std::span<std::string_view const>()).bytes),
              said + " (the keys are ~k ~k ~k ~k ~k ~k ~k ~k and 3 others)");
}

TEST(refused_key, is_not_made_up) {
    auto const call = command_call("HDEL", "jobs:a", {"me"}).bytes;
    for (std::string const said : {"NOPERM this user has no permissions to run the 'hdel' command", "ERR syntax error",
                                   "", "NOPERM No permissions to access a channel", "MOVED 3999 127.0.0.1:6381"})
        EXPECT_EQ(naming_right(said, call), said);
    std::string const said = "NOPERM No permissions to access a key";
    for (std::string const odd : {"", "*1\r\n$4\r\nPING\r\n", "*2\r\n$4\r\nHD", "*2\r\n$7\r\nEVALSHA\r\n$1\r\nx\r\n",
                                  "*3\r\n$7\r\nEVALSHA\r\n$1\r\nx\r\n$1\r\nx\r\n", "?"})
        EXPECT_EQ(naming_right(said, odd), said) << odd;
    auto const of_line =
        said_by_redis_7_0(scripts::lock_acquire.sha1, line_with(scripts::lock_acquire.text, "call('hset'"));
    EXPECT_EQ(naming_right(of_line, call), of_line + " (the command is 'hset')");
}

TEST(refused_channel, is_named_where_it_is_what_is_refused) {
    for (std::string const said :
         {"NOPERM this user has no permissions to access one of the channels used as arguments",
          "NOPERM No permissions to access a channel"})
        EXPECT_EQ(naming_channel(said, "redisson_lock__channel:{a}"),
                  said + "; the channel is &redisson_lock__channel:{a}");
    for (std::string const said : {"NOPERM this user has no permissions to run the 'subscribe' command",
                                   "ERR unknown command 'SUBSCRIBE'", "MOVED 3999 127.0.0.1:6381", ""})
        EXPECT_EQ(naming_channel(said, "redisson_lock__channel:{a}"), said);
}

TEST(refused_command, is_not_made_up) {
    auto const& acquire = scripts::lock_acquire;
    for (auto const& said :
         {std::string("NOPERM this user has no permissions to run the 'evalsha' command"), std::string(),
          said_by_redis_7_0(acquire.sha1, 1), said_by_redis_7_0(acquire.sha1, 1000),
          said_by_redis_7_0(acquire.sha1, -1),
          said_by_redis_7_0("0123456789012345678901234567890123456789", line_with(acquire.text, "call('hset'")),
          "ERR wrong number of arguments script: " + std::string(acquire.sha1) + ", on @user_script:8."})
        EXPECT_EQ(naming_command(said), said);
}

} // namespace
} // namespace redlatch::locking
