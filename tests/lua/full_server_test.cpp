// What a server executes whose memory is full (maxmemory-policy noeviction): whoever has something keeps it, and gives it back.
#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using namespace locking;

class full_server : public script_test {
protected:
    std::string const ends = "{x}:timeout";
    std::string const record = "redlatch_request:{x}:me:1";
    std::string const never = "922337203685477";
    std::string const id = "permit-number-01";

    /// The answer of the script behind these commands, when there is no memory left.
    std::string answer(std::vector<words> const& before, script const& what, words const& keys,
                       words const& arguments) {
        command({"FLUSHALL"});
        for (auto const& step : before) command(step);
        command({"CONFIG", "SET", "maxmemory", "1"});
        EXPECT_ANY_THROW(command({"SET", "another", "1"})) << "it is full";
        auto const said = shown(call(what, keys, arguments));
        command({"CONFIG", "SET", "maxmemory", "0"});
        return said;
    }
    std::string number(std::string const& key) { return command({"GET", key}).text; }
    /// A lease that is no longer than the one that is written, and one that is.
    static constexpr char const* leases[] = {"1000", "900000"};
};
REDLATCH_ON_EVERY_SERVER(full_server);

TEST_P(full_server, renews_permits) {
    EXPECT_EQ(answer({{"ZADD", ends, "9999999999999", id}}, scripts::permit_renew, {ends}, {"30000", id}), "[]");
    auto const now = server_time();
    EXPECT_EQ(answer({{"ZADD", ends, std::to_string(now + 10'000), id}}, scripts::permit_renew, {ends}, {"900000", id}),
              "[]");
    EXPECT_GT(std::stoll(command({"ZSCORE", ends, id}).text), now + 800'000);
    EXPECT_EQ(answer({{"SET", "x", "0"}, {"ZADD", ends, never, id}}, scripts::permit_lease, {"x", ends},
                     {"PUBLISH", "channel", "30000", id}),
              "[]");
    EXPECT_LT(std::stoll(command({"ZSCORE", ends, id}).text), now + 800'000);
}

TEST_P(full_server, takes_permits_back) {
    std::vector<words> const taken{{"SET", "x", "0"}, {"ZADD", ends, never, id}};
    EXPECT_EQ(answer(taken, scripts::permit_release, {"x", ends}, {"PUBLISH", "channel", "0", id}), "3");
    EXPECT_EQ(number("x"), "1");
    EXPECT_EQ(answer(taken, scripts::permit_release, {"x", ends, record}, {"PUBLISH", "channel", "60000", id}), "3");
    EXPECT_EQ(number("x"), "1");
    EXPECT_EQ(number(record), "0");
}

/// What is first written needs memory: whoever hears that it was done knows that there is some.
TEST_P(full_server, gives_no_permits) {
    auto const acquire = [&](std::vector<words> const& before) {
        return answer(before, scripts::permit_acquire, {"x", ends, record}, {"PUBLISH", "c", "60000", id});
    };
    EXPECT_EQ(acquire({{"SET", "x", "1"}}), "!OOM");
    EXPECT_EQ(acquire({{"SET", "x", "1", "PX", "100000"}}), "!OOM") << "whose number has an expiry";
    EXPECT_EQ(acquire({{"SET", "x", "0"}, {"ZADD", ends, "1000", "over"}}), "!OOM") << "whose lease is over";
}

TEST_P(full_server, takes_back_what_leaves_a_record) {
    EXPECT_EQ(
        answer({{"SET", "x", "3"}}, scripts::semaphore_release, {"x", record}, {"2", "PUBLISH", "c", "0", "60000"}),
        "3");
    EXPECT_EQ(number("x"), "5");
    EXPECT_EQ(answer({{"SET", "x", "3"}, {"SET", record, "1"}}, scripts::semaphore_undo, {"x", record},
                     {"2", "PUBLISH", "c", "60000"}),
              "1");
    EXPECT_EQ(number("x"), "5");
    EXPECT_EQ(answer({{"SET", "x", "3"}}, scripts::latch_count_down, {"x", record}, {"PUBLISH", "c", "60000"}), "2");
    EXPECT_EQ(number("x"), "2");
}

TEST_P(full_server, writes_the_hold_count_of_what_is_held) {
    for (auto const* const lease : leases) {
        EXPECT_EQ(answer({{"HSET", "x", "me:1", "2"}, {"PEXPIRE", "x", "100000"}}, scripts::lock_set_count, {"x"},
                         {lease, "me:1", "1"}),
                  "1")
            << lease;
        EXPECT_EQ(answer({{"HSET", "x", "mode", "read", "me:1", "2"},
                          {"PEXPIRE", "x", "100000"},
                          {"SET", "{x}:me:1:rwlock_timeout:1", "1", "PX", "100000"},
                          {"SET", "{x}:me:1:rwlock_timeout:2", "1", "PX", "90000"}},
                         scripts::read_set_count, {"x", "{x}:"}, {lease, "me:1", "1"}),
                  "1")
            << lease;
        EXPECT_EQ(number("{x}:me:1:rwlock_timeout:2"), "") << "released";
    }
}

TEST_P(full_server, renews_values_and_writes_their_count) {
    std::vector<words> const held{{"HSET", "x", "a", "me:1", "a:me:1:lock_count", "2", "a:me:1:expire_time", "9999"},
                                  {"PEXPIRE", "x", "100000"}};
    for (auto const* const lease : leases) {
        EXPECT_EQ(answer(held, scripts::faster_multi_renew, {"x"}, {lease, "me:1", "1", "a"}), "[]") << lease;
        EXPECT_NE(command({"HGET", "x", "a:me:1:expire_time"}).text, "9999");
        EXPECT_EQ(answer(held, scripts::faster_multi_set_count, {"x"}, {lease, "me:1", "1", "a"}), "1") << lease;
        EXPECT_EQ(command({"HGET", "x", "a:me:1:lock_count"}).text, "1");
    }
}

TEST_P(full_server, ends_what_has_a_minimum_hold_or_a_place_in_a_queue) {
    EXPECT_EQ(answer({{"HSET", "x", "a", "me:1", "a:me:1:lock_count", "1", "a:me:1:expire_time", "9999999999999"},
                      {"PEXPIRE", "x", "100000"}},
                     scripts::faster_multi_release, {"x"}, {"me:1", "PUBLISH", "c", "50000", "me:0", "a"}),
              "1");
    EXPECT_EQ(answer({{"HSET", "x", "mode", "read", "me:1", "1"},
                      {"PEXPIRE", "x", "100000"},
                      {"SET", "{x}:me:1:rwlock_timeout:1", "1", "PX", "100000"}},
                     scripts::read_write_release, {"x", "{x}:"}, {"me:1", "PUBLISH", "c", "0", "50000", "me:0"}),
              "1");
    EXPECT_EQ(answer({{"HSET", "x", "you:1", "1"},
                      {"PEXPIRE", "x", "100000"},
                      {"RPUSH", "q", "me:1", "he:1"},
                      {"ZADD", "t", "9999999999999", "me:1", "9999999999999", "he:1"}},
                     scripts::fair_release, {"x", "q", "t"}, {"me:1", "PUBLISH", "c", "5000"}),
              "0");
    EXPECT_EQ(command({"LLEN", "q"}).integer, 1);
    EXPECT_EQ(command({"ZCARD", "t"}).integer, 1);
}

TEST_P(full_server, answers_what_is_left_behind_a_lease_that_is_over) {
    EXPECT_EQ(
        answer({{"SET", "x", "0"}, {"ZADD", ends, "1000", id}}, scripts::permit_look, {"x", ends}, {"PUBLISH", "c"}),
        "[1 0 -2 1]");
    EXPECT_EQ(answer({{"SET", "x", "3"}}, scripts::semaphore_drain, {"x", record}, {"60000"}), "3");
    EXPECT_EQ(answer({}, scripts::semaphore_release, {"x", record}, {"2", "PUBLISH", "c", "1", "60000"}), "0");
    EXPECT_EQ(answer({}, scripts::latch_count_down, {"x", record}, {"PUBLISH", "c", "60000"}), "-1");
}

TEST_P(full_server, renews_locks) {
    EXPECT_EQ(
        answer({{"HSET", "x", "me:1", "1"}, {"PEXPIRE", "x", "1000"}}, scripts::lock_renew, {"x"}, {"30000", "me:1"}),
        "[]");
    EXPECT_EQ(answer({{"HSET", "x", "mode", "read", "me:1", "1"},
                      {"PEXPIRE", "x", "1000"},
                      {"SET", "{x}:me:1:rwlock_timeout:1", "1", "PX", "1000"}},
                     scripts::read_renew, {"x"}, {"30000", "me:1", "{x}:"}),
              "[]");
}

} // namespace
} // namespace redlatch::test
