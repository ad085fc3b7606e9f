// client::inspect_servers() with real servers: what each kind of set-up says, what may be refused, and how it ends.
#include "api/rights_question.hpp"
#include "fixture.hpp"
#include "support/fake_server.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <gmock/gmock.h>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using role_kind = server_facts::role_kind;

server_facts inspected(config const& settings, inspect_servers_options const& options = {}) {
    client user(settings);
    auto setup = user.inspect_servers(options);
    EXPECT_EQ(setup.servers.size(), 1U);
    EXPECT_EQ(setup.servers.front().problem, "");
    return setup.servers.front();
}

std::string refusal_of(server_facts const& facts, std::string const& command) {
    for (auto const& one : facts.refused)
        if (one.command == command) return one.reason;
    return {};
}

TEST(inspect_servers, of_a_default_server) {
    redis_server server;
    server.run("CONFIG", "SET", "appendfsync", "everysec");
    auto const facts = inspected(quick(server.uri()), {.round_trips = 5});
    EXPECT_EQ(facts.address, server.uri());
    EXPECT_FALSE(facts.software.empty());
    EXPECT_FALSE(facts.version.empty());
    EXPECT_EQ(facts.eviction_policy, "noeviction");
    EXPECT_EQ(facts.memory_limit, 0U);
    EXPECT_GT(facts.memory_used.value(), 0U);
    EXPECT_EQ(facts.evicted_keys, 0U);
    EXPECT_EQ(facts.append_only, false);
    EXPECT_EQ(facts.append_fsync, "everysec");
    EXPECT_TRUE(facts.snapshots);
    EXPECT_EQ(facts.last_save_worked, true);
    EXPECT_EQ(facts.role, role_kind::master);
    EXPECT_EQ(facts.replicas, 0);
    EXPECT_EQ(facts.min_replicas, 0);
    EXPECT_EQ(facts.wait_command, true);
    EXPECT_EQ(facts.role_command, true);
    EXPECT_EQ(facts.messages, true);
    EXPECT_GT(facts.message_time.value().count(), 0);
    EXPECT_THAT(facts.missing_rights, IsEmpty());
    EXPECT_EQ(facts.rights_known, !test_server_is_before_7());
    EXPECT_EQ(facts.round_trips.size(), 5U);
    ASSERT_TRUE(facts.clock_ahead);
    EXPECT_LT(std::chrono::abs(*facts.clock_ahead), 1s) << "it is the same clock";
    EXPECT_THAT(facts.refused, IsEmpty());
    expect_clean(server);
}

TEST(inspect_servers, times_from_1_to_1000_round_trips) {
    redis_server server;
    client asker(quick(server.uri()));
    for (int const count : {-1, 0, 1001}) {
        try {
            static_cast<void>(asker.inspect_servers({.round_trips = count}));
            ADD_FAILURE() << count;
        } catch (error const& problem) {
            EXPECT_EQ(problem.reason(), errc::invalid_argument) << count;
        }
        EXPECT_THROW(asker.async_inspect_servers({}, [](auto, auto const&) {}, {.round_trips = count}), error) << count;
    }
    EXPECT_EQ(inspected(quick(server.uri()), {.round_trips = 1000}).round_trips.size(), 1000U);
}

TEST(inspect_servers, of_one_that_evicts) {
    redis_server server({.arguments = {"--maxmemory", "50mb", "--maxmemory-policy", "volatile-lru"}});
    auto const facts = inspected(quick(server.uri()));
    EXPECT_EQ(facts.eviction_policy, "volatile-lru");
    EXPECT_EQ(facts.memory_limit, 50U * 1024 * 1024);
}

TEST(inspect_servers, of_one_that_writes_each_command_to_its_disk) {
    redis_server server({.persistent = true});
    auto const facts = inspected(quick(server.uri()));
    EXPECT_EQ(facts.append_only, true);
    EXPECT_EQ(facts.append_fsync, "always");
}

TEST(inspect_servers, of_a_master_with_replicas) {
    replica_set servers(1);
    servers[0].run("CONFIG", "SET", "min-replicas-to-write", "1");
    auto const facts = inspected(quick(servers.uri(0)));
    EXPECT_EQ(facts.replicas, 1);
    EXPECT_EQ(facts.min_replicas, 1);
    EXPECT_EQ(facts.wait_command, true);
    EXPECT_EQ(facts.role_command, true);
}

TEST(inspect_servers, of_one_that_does_not_write_says_why) {
    redis_server server({.persistent = true});
    server.run("CONFIG", "SET", "min-replicas-to-write", "1");
    EXPECT_THAT(refusal_of(inspected(quick(server.uri())), "HDEL"), StartsWith("NOREPLICAS"));
    server.run("CONFIG", "SET", "min-replicas-to-write", "0");
    EXPECT_EQ(refusal_of(inspected(quick(server.uri())), "HDEL"), "");

    redis_cluster cluster(3);
    cluster.node(0).run("CLUSTER", "DELSLOTS", std::to_string(redis_cluster::slot_of(cluster.name_on(0))));
    client user(quick(cluster.uri()));
    int refusing = 0;
    for (auto const& one : user.inspect_servers({.round_trips = 1}).servers) {
        EXPECT_EQ(one.problem, "");
        if (refusal_of(one, "HDEL").starts_with("CLUSTERDOWN")) ++refusing;
    }
    EXPECT_GE(refusing, 1);
}

TEST(inspect_servers, tries_to_write_with_the_one_right_that_a_user_has) {
    redis_server server;
    for (std::string const right : {"+hdel", "+del", "+get"}) {
        server.run("ACL", "SETUSER", "locks", "reset", "on", ">secret", "~*", "+ping", right);
        auto settings = quick(server.uri());
        settings.username = "locks";
        settings.password = "secret";
        bool const may = right != "+get";
        EXPECT_EQ(refusal_of(inspected(settings), "HDEL").empty(), may) << right;
    }
}

TEST(inspect_servers, is_done_with_what_a_managed_service_leaves) {
    redis_server server({.arguments = {"--rename-command", "CONFIG", "", "--rename-command", "WAIT", "",
                                       "--rename-command", "CLIENT", "", "--rename-command", "ROLE", ""}});
    auto const facts = inspected(quick(server.uri()));
    EXPECT_EQ(facts.eviction_policy, "noeviction") << "INFO says it";
    EXPECT_EQ(facts.append_fsync, std::nullopt);
    EXPECT_THAT(refusal_of(facts, "CONFIG GET appendfsync"), HasSubstr("unknown command"));
    EXPECT_EQ(refusal_of(facts, "CONFIG GET maxmemory-policy"), "") << "it is known all the same";
    EXPECT_EQ(facts.wait_command, false);
    EXPECT_EQ(facts.role_command, false);
    EXPECT_THAT(refusal_of(facts, "WAIT"), HasSubstr("unknown command"));
    if (test_server_is_before_7()) return; // it cannot say what a user may do
    EXPECT_EQ(facts.missing_rights, std::vector<std::string>());
    EXPECT_EQ(facts.unknown_commands,
              (std::vector<std::string>{"client|kill", "client|setname", "client|list", "client|info"}));
    EXPECT_TRUE(facts.rights_known);
}

TEST(inspect_servers, says_that_a_server_has_no_scripts) {
    redis_server server({.arguments = {"--rename-command", "EVAL", ""}});
    auto const facts = inspected(quick(server.uri()));
    EXPECT_EQ(facts.unknown_commands, std::vector<std::string>{"eval"});
    EXPECT_FALSE(facts.rights_known);
    EXPECT_THAT(refusal_of(facts, "EVAL"), HasSubstr("unknown command"));
}

TEST(inspect_servers, is_done_without_info) {
    redis_server server({.arguments = {"--rename-command", "INFO", ""}});
    auto const facts = inspected(quick(server.uri()));
    EXPECT_FALSE(facts.version.empty()) << "HELLO says it";
    EXPECT_EQ(facts.role, role_kind::master) << "ROLE says it";
    EXPECT_EQ(facts.replicas, 0);
    EXPECT_EQ(facts.eviction_policy, "noeviction") << "CONFIG GET says it";
    EXPECT_EQ(facts.memory_used, std::nullopt);
    EXPECT_THAT(refusal_of(facts, "INFO"), HasSubstr("unknown command"));
}

TEST(inspect_servers, is_done_by_a_user_who_may_do_next_to_nothing) {
    redis_server server;
    server.run("ACL", "SETUSER", "locks", "on", ">secret", "+ping");
    auto settings = quick(server.uri());
    settings.username = "locks";
    settings.password = "secret";
    auto const facts = inspected(settings);
    EXPECT_FALSE(facts.version.empty()) << "who may connect may say HELLO";
    EXPECT_EQ(facts.role, role_kind::unknown);
    EXPECT_EQ(facts.eviction_policy, std::nullopt);
    EXPECT_EQ(facts.replicas, std::nullopt);
    EXPECT_EQ(facts.wait_command, false);
    EXPECT_EQ(facts.role_command, false);
    EXPECT_EQ(facts.messages, false);
    EXPECT_EQ(facts.missing_rights, std::vector<std::string>{"+eval"});
    EXPECT_FALSE(facts.rights_known);
    EXPECT_EQ(facts.round_trips.size(), 10U) << "a refusal takes as long";
    EXPECT_EQ(facts.clock_ahead, std::nullopt);
    for (auto const* const command : {"INFO", "CONFIG GET maxmemory-policy", "CONFIG GET save", "EVAL", "WAIT", "TIME"})
        EXPECT_THAT(refusal_of(facts, command), HasSubstr("NOPERM")) << command;
    EXPECT_EQ(std::ranges::count(facts.refused, "TIME", &refused_question::command), 1) << "it is asked ten times";
}

TEST(inspect_servers, of_a_cluster_asks_each_master) {
    redis_cluster cluster(3, 1);
    auto settings = quick(cluster.uri());
    client user(settings);
    auto const setup = user.inspect_servers();
    EXPECT_EQ(setup.mode, server_mode::cluster);
    EXPECT_FALSE(setup.sentinels);
    ASSERT_EQ(setup.servers.size(), 3U);
    std::set<std::string> addresses;
    for (auto const& one : setup.servers) {
        addresses.insert(one.address);
        EXPECT_EQ(one.problem, "");
        EXPECT_EQ(one.role, role_kind::master);
        EXPECT_EQ(one.replicas, 1);
        EXPECT_EQ(one.messages, true);
    }
    EXPECT_EQ(addresses.size(), 3U);
    // One that hangs costs its own facts only.
    cluster.node(1).pause();
    auto const rest = user.inspect_servers({.round_trips = 1});
    cluster.node(1).resume();
    ASSERT_EQ(rest.servers.size(), 3U);
    int silent = 0;
    for (auto const& one : rest.servers) {
        if (one.problem.empty()) continue;
        ++silent;
        EXPECT_THAT(one.address, HasSubstr(std::to_string(cluster.node(1).address().port)));
    }
    EXPECT_EQ(silent, 1);
}

TEST(inspect_servers, with_sentinels_says_how_many_there_are) {
    sentinel_set all;
    client user(quick(all.uri()));
    auto const setup = user.inspect_servers();
    EXPECT_EQ(setup.mode, server_mode::sentinel);
    ASSERT_TRUE(setup.sentinels);
    EXPECT_EQ(setup.sentinels->sentinels, 3);
    EXPECT_EQ(setup.sentinels->reachable, 3);
    EXPECT_EQ(setup.sentinels->quorum, 2);
    EXPECT_EQ(setup.sentinels->promotable, 1);
    EXPECT_THAT(setup.sentinels->refused, IsEmpty());
    ASSERT_EQ(setup.servers.size(), 1U);
    EXPECT_THAT(setup.servers.front().address, HasSubstr(std::to_string(all.servers().port(0))));
    EXPECT_EQ(setup.servers.front().replicas, 1);
}

TEST(inspect_servers, with_sentinels_says_what_they_refuse) {
    sentinel_set all({.sentinels = 1, .replicas = 0});
    std::vector<std::string> const rights{
        "ACL", "SETUSER", "finder", "on", ">secret", "+sentinel|get-master-addr-by-name", "+ping", "+client|setname"};
    ASSERT_EQ(all.ask(0, rights).text, "OK");
    auto settings = quick(all.uri());
    settings.topology.sentinel_username = "finder";
    settings.topology.sentinel_password = "secret";
    client user(settings);
    auto const setup = user.inspect_servers({.round_trips = 1});
    ASSERT_TRUE(setup.sentinels);
    EXPECT_EQ(setup.sentinels->sentinels, std::nullopt);
    EXPECT_EQ(setup.sentinels->reachable, std::nullopt);
    ASSERT_EQ(setup.sentinels->refused.size(), 3U);
    EXPECT_THAT(setup.sentinels->refused[0].reason,
                HasSubstr(test_server_is_before_7() ? "sentinel" : "sentinel|master"));
}

TEST(inspect_servers, of_a_server_that_hangs_ends_with_an_error) {
    redis_server server;
    client user(quick(server.uri()));
    server.pause();
    auto const begin = test_clock::now();
    auto const what = outcome_of([&] { user.inspect_servers(); });
    server.resume();
    EXPECT_EQ(what.reason, errc::disconnected);
    EXPECT_LT(since(begin), 10s);
}

TEST(inspect_servers, ends_when_there_is_no_more_time) {
    redis_server server;
    byte_proxy proxy{server.address()};
    auto settings = quick(proxy.uri());
    settings.timeout = 10s;
    client user(settings);
    proxy.delay(direction::to_client, 20ms);
    auto const begin = test_clock::now();
    auto const setup = user.inspect_servers({.round_trips = 1000, .limit = 2s});
    EXPECT_LT(since(begin), 15s) << "all of them take 20 s";
    EXPECT_EQ(setup.servers.front().problem, "");
    EXPECT_LT(setup.servers.front().round_trips.size(), 1000U);
    EXPECT_EQ(outcome_of([&] { user.inspect_servers({.limit = duration::max()}); }).reason, errc{});
    auto const none = outcome_of([&] { user.inspect_servers({.limit = 0ms}); });
    EXPECT_EQ(none.reason, errc::disconnected);
    EXPECT_THAT(none.message, HasSubstr("no time"));
}

TEST(inspect_servers, tells_a_handler) {
    redis_server server;
    auto patient = quick(server.uri());
    patient.timeout = 60s;
    client user(patient);
    std::promise<server_setup> told;
    auto const begin = test_clock::now();
    user.async_inspect_servers({},
                               [&](std::error_code code, server_setup setup) {
                                   EXPECT_FALSE(code);
                                   told.set_value(std::move(setup));
                               },
                               {.limit = 60s});
    auto const setup = told.get_future().get();
    EXPECT_LT(since(begin), 30s) << "all has been answered";
    ASSERT_EQ(setup.servers.size(), 1U);
    EXPECT_EQ(setup.servers.front().messages, true);
    EXPECT_EQ(setup.servers.front().rights_known, !test_server_is_before_7());
    EXPECT_EQ(setup.servers.front().round_trips.size(), 10U);
}

TEST(inspect_servers, leaves_locks_alone_that_are_used_meanwhile) {
    redis_server server;
    auto settings = quick(server.uri());
    settings.lock_watchdog_timeout = 900ms;
    client user(settings);
    auto const held = user.get_lock("job").acquire({.owner = owner()});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(user.inspect_servers({.round_trips = 1}).servers.front().messages, true);
    EXPECT_TRUE(held);
    EXPECT_EQ(server.run("DBSIZE").integer, 1);
}

/// A server that is asked about a command of too few words looks for keys that are not there.
TEST(inspect_servers, asks_for_rights_to_commands_with_as_many_words_as_they_need) {
    if (test_server_is_before_7()) GTEST_SKIP() << "the server knows no messages of shards";
    redis_server server;
    detail::rights_question const asked("jobs:", {.of_cluster = true, .sharded = true, .asks_for_roles = true});
    resp::reader reader;
    reader.feed(asked.command());
    resp::value call;
    ASSERT_EQ(reader.next(call), resp::reader::result::value);
    int commands = 0;
    for (std::size_t at = 3; at < call.items.size(); ++commands) {
        auto const words = std::stol(call.items[at].text);
        auto const& name = call.items[at + 1].text;
        auto const info = server.run("COMMAND", "INFO", name).items.at(0);
        ASSERT_GT(info.items.size(), 1U) << name;
        auto const arity = info.items[1].integer;
        bool const of_messages = name.ends_with("publish") || name.ends_with("subscribe");
        bool const without_channel = of_messages && words == 1; // it has no keys, and channels are counted first
        EXPECT_TRUE(without_channel || (arity > 0 ? words == arity : words >= -arity)) << name;
        at += static_cast<std::size_t>(words) + 1;
    }
    EXPECT_GT(commands, 100);
}

/// Answers with something that is no reply to anything.
TEST(inspect_servers, takes_nothing_from_a_server_that_babbles) {
    for (std::string const reply :
         {"+OK\r\n", ":7\r\n", "$-1\r\n", "*0\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n", "-ERR no\r\n"}) {
        fake_server babbler([&](fake_connection& connection) {
            for (;;) {
                auto const bytes = connection.read();
                if (bytes.empty()) return;
                std::string answers;
                for (auto at = bytes.find("\r\n$"); at != std::string::npos; at = bytes.find("\r\n$", at + 1))
                    if (at == 2 || bytes[bytes.rfind("\r\n", at - 1) + 2] == '*') answers += reply;
                if (!connection.write(answers)) return;
            }
        });
        auto settings = quick(babbler.uri());
        settings.retry_attempts = 0;
        auto const what = outcome_of([&] {
            client user(settings);
            auto const setup = user.inspect_servers({.round_trips = 2, .limit = 2s});
            for (auto const& one : setup.servers) {
                EXPECT_EQ(one.version, "") << reply;
                EXPECT_EQ(one.append_only, std::nullopt);
                EXPECT_FALSE(one.rights_known);
                EXPECT_EQ(one.clock_ahead, std::nullopt);
            }
        });
        EXPECT_TRUE(what.reason == errc{} || what.reason == errc::disconnected || what.reason == errc::bad_reply
                    || what.reason == errc::server_refused)
            << what;
    }
}

} // namespace
} // namespace redlatch::test
