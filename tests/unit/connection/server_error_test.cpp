#include "connection/redirect.hpp"
#include "connection/server_error.hpp"
#include "scripted/replies.hpp"

#include <gtest/gtest.h>

namespace redlatch::connection {
namespace {

struct row {
    char const* text;
    verdict means;
    errc code;
};

row const errors[] = {
    {"LOADING Redis is loading the dataset in memory", verdict::not_executed, errc::disconnected},
    {"BUSY Redis is busy running a script.", verdict::not_executed, errc::disconnected},
    {"OOM command not allowed when used memory > 'maxmemory'.", verdict::not_executed, errc::disconnected},
    {"MISCONF Redis is configured to save RDB snapshots", verdict::not_executed, errc::disconnected},
    {"MASTERDOWN Link with MASTER is down", verdict::not_executed, errc::disconnected},
    {"CLUSTERDOWN Hash slot not served", verdict::not_executed, errc::disconnected},
    {"TRYAGAIN Multiple keys request during rehashing of slot", verdict::not_executed, errc::disconnected},
    {"NOREPLICAS Not enough good replicas to write.", verdict::not_executed, errc::disconnected},
    {"READONLY You can't write against a read only replica.", verdict::read_only, errc::disconnected},
    {"NOSCRIPT No matching script.", verdict::no_script, errc::server_refused},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", verdict::wrong_type, errc::wrong_type},
    {"NOPERM this user has no permissions", verdict::refused, errc::server_refused},
    {"NOAUTH Authentication required.", verdict::refused, errc::server_refused},
    {"ERR unknown command", verdict::refused, errc::server_refused},
    {"MOVED 3999 127.0.0.1:6381", verdict::refused, errc::server_refused},
    {"", verdict::refused, errc::server_refused},
    // The first word counts as a whole.
    {"BUSY", verdict::not_executed, errc::disconnected},
    {"BUSYKEY Target key name already exists.", verdict::refused, errc::server_refused},
    {"BUSYGROUP Consumer Group name already exists", verdict::refused, errc::server_refused},
    {"ERR BUSY in the text says nothing", verdict::refused, errc::server_refused},
    {" BUSY", verdict::refused, errc::server_refused},
    {"busy", verdict::refused, errc::server_refused},
    {"OOMPH", verdict::refused, errc::server_refused},
    {"LOAD", verdict::refused, errc::server_refused},
};

TEST(server_error, is_judged_by_its_first_word_as_a_whole) {
    for (auto const& [text, means, code] : errors) {
        EXPECT_EQ(judge(scripted::error(text)), means) << text;
        EXPECT_EQ(to_errc(judge(scripted::error(text))), code) << text;
    }
}

TEST(server_error, knows_a_missing_right_in_all_words_that_servers_have_for_it) {
    for (auto const* text : {"NOPERM this user has no permissions to run the 'publish' command",
                             "ERR The user executing the script can't run this command or subcommand script: 0f1e, on "
                             "@user_script:5.",
                             "ERR Error running script (call to f_0f1e): @user_script:9: @user_script: 9: The user "
                             "executing the script can't run this command or subcommand",
                             "@user_script: 10: The user executing the script can't access at least one of the keys",
                             "ERR ACL failure in script: User restricted has no permissions to run the 'hset' command "
                             "script: 0f1e, on @user_script:7."})
        EXPECT_TRUE(is_missing_right(scripted::error(text))) << text;
    for (auto const* text : {"NOPERMISSION", "ERR unknown command", "ERR wrong ACL failure in script", "NOAUTH", "",
                             "@user_script", "@user_script: 10: -OOM command not allowed", "ERR"})
        EXPECT_FALSE(is_missing_right(scripted::error(text))) << text;
    EXPECT_FALSE(is_missing_right(scripted::string("NOPERM"))) << "a value, not an error";
}

TEST(server_error, tells_a_refusal_of_a_key_from_one_of_a_command) {
    for (auto const* text :
         {"NOPERM this user has no permissions to access one of the keys used as arguments",
          "NOPERM No permissions to access a key",
          "ERR The user executing the script can't access at least one of the keys mentioned in the "
          "command arguments script: 0f1e, on @user_script:5.",
          "ERR ACL failure in script: No permissions to access a key script: 0f1e, on @user_script:7.",
          "MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381",
          "CROSSSLOT Keys in request don't hash to the same slot"})
        EXPECT_EQ(reach_of(scripted::error(text)), reach::keys) << text;
    for (auto const* text :
         {"NOPERM this user has no permissions to run the 'evalsha' command",
          "NOPERM User the key keeper has no permissions to run the 'restore' command",
          "ERR The user executing the script can't run this command or subcommand script: 0f1e.",
          "ERR unknown command 'RESTORE', with args beginning with: 'a key'", "NOAUTH Authentication required."})
        EXPECT_EQ(reach_of(scripted::error(text)), reach::command) << text;
    for (auto const* text :
         {"ERR syntax error", "NOPERM this user has no permissions to access one of the channels", ""})
        EXPECT_EQ(reach_of(scripted::error(text)), reach::unknown) << text;
}

TEST(server_error, is_judged_within_the_words_that_redis_6_puts_around_an_error_of_a_script) {
    std::string const around = "ERR Error running script (call to f_0f1e): @user_script:5: ";
    EXPECT_EQ(judge(scripted::error(around + "-OOM command not allowed when used memory > 'maxmemory'.")),
              verdict::not_executed);
    EXPECT_EQ(
        judge(scripted::error(around + "@user_script: 5: -READONLY You can't write against a read only replica.")),
        verdict::read_only);
    EXPECT_EQ(judge(scripted::error(around + "attempt to call field 'x'")), verdict::refused);
    EXPECT_EQ(judge(scripted::error("ERR Error running script")), verdict::refused);
    EXPECT_EQ(judge(scripted::error("ERR Error running script @user_script")), verdict::refused);
}

TEST(server_error, is_followed_by_what_to_do) {
    std::pair<char const*, char const*> const rows[] = {
        {"OOM command not allowed when used memory > 'maxmemory'.", "raise maxmemory"},
        {"ERR Error running script (call to f_0f1e): @user_script:5: -OOM command not allowed", "raise maxmemory"},
        {"READONLY You can't write against a read only replica.", "address of its master"},
        {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", "address of the master"},
        {"NOREPLICAS Not enough good replicas to write.", "connected and within min-replicas-max-lag than"},
        {"MISCONF Redis is configured to save RDB snapshots", "disk"},
        {"MOVED 3999 127.0.0.1:6381", "redis-cluster://host:port"},
        {"ASK 3999 127.0.0.1:6381", "redis-cluster://host:port"},
        {"CROSSSLOT Keys in request don't hash to the same slot", "do not use { and }"},
        {"CLUSTERDOWN Hash slot not served", "see CLUSTER INFO"},
        {"NOPERM this user has no permissions to run the 'evalsha' command", "rights to EVAL and EVALSHA"},
        {"NOPERM User x has no permissions to run the 'eval' command", "rights to EVAL and EVALSHA"},
        {"NOPERM No permissions to access a key", "check the rights"},
        {"ERR unknown command 'RESTORE'", "does not have this command"},
        {"NOAUTH Authentication required.", "set a password"},
    };
    for (auto const& [said, advice] : rows) EXPECT_NE(what_to_do(said).find(advice), std::string_view::npos) << said;
    for (auto const* said : {"ERR syntax error", "OOMPH", ""})
        EXPECT_EQ(what_to_do(said).find("rights"), std::string_view::npos) << said;
}

TEST(server_error, tells_of_a_slot_that_is_divided_between_two_nodes) {
    for (auto const* said :
         {"TRYAGAIN Multiple keys request during rehashing of slot",
          "ERR Script attempted to access a non local key in a cluster node script: 5c, on @user_script:12.",
          "ERR Error running script (call to f_0f): @user_script:9: @user_script: 9: Lua script attempted to access a "
          "non local key in a cluster node",
          "ERR Attempted to access a non local key in a cluster node script: 5c, on @user_script:12.",
          "ERR Unable to execute command 'exists' in script because undeclared keys were accessed during rehashing of "
          "the "
          "slot script: 5c, on @user_script:12."})
        EXPECT_TRUE(is_of_divided_slot(scripted::error(said))) << said;
    auto const in_vain = std::string(redirected_too_often) + ", the last time by MOVED 7 127.0.0.1:7002";
    EXPECT_EQ(judge(scripted::error(in_vain)), verdict::not_executed);
    for (auto const& said : {in_vain, std::string("CLUSTERDOWN Hash slot not served"), std::string("TRYAGAINST it")})
        EXPECT_FALSE(is_of_divided_slot(scripted::error(said))) << said;
}

} // namespace
} // namespace redlatch::connection
