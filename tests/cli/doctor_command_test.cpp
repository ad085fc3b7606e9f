// redlatch doctor as a process. What it concludes: guarantees_test.cpp.
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"
#include "tool.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace redlatch::test {
namespace {

using json = nlohmann::json;

class doctor_command : public tool_test {
protected:
    static json answer_of(outcome const& result) {
        EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << "one line";
        return json::parse(result.output);
    }
    static std::string state_of(json const& server, std::string const& name) {
        for (auto const& one : server["guarantees"])
            if (one["name"] == name) return one["state"];
        return "none";
    }
};

TEST_F(doctor_command, says_what_the_server_promises) {
    auto const result = run({"doctor"});
    EXPECT_EQ(result.status, 1) << "the default server keeps no file: " << result.errors;
    for (auto const* const part :
         {"maxmemory-policy noeviction", "server_restart     does not hold", "kept_when_full     holds", "round trip",
          "messages           arrive", "rights             holds", "A guarantee does not hold.\n"})
        EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
    EXPECT_EQ(result.errors, "");
}

TEST_F(doctor_command, accepts_what_need_not_hold) {
    auto const accepted = run({"doctor", "--accept", "server_restart,machine_crash"});
    EXPECT_EQ(accepted.status, 0) << accepted.output;
    EXPECT_NE(accepted.output.find("server_restart     does not hold (accepted)"), std::string::npos);
    auto const answer = answer_of(run({"doctor", "--json", "--accept", "server_restart,machine_crash"}));
    EXPECT_EQ(answer["verdict"], "holds");
}

TEST_F(doctor_command, ends_with_two_where_something_is_not_known) {
    server.run("CONFIG", "SET", "appendonly", "yes");
    server.run("ACL", "SETUSER", "default", "+@all", "-config");
    auto const result = run({"doctor"});
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_NE(result.output.find("machine_crash      not known: CONFIG GET appendfsync was not answered"),
              std::string::npos)
        << result.output;
    EXPECT_NE(result.output.find("Whether one of the guarantees holds is not known.\n"), std::string::npos);
    server.run("ACL", "SETUSER", "default", "+@all");
}

TEST_F(doctor_command, tells_as_json) {
    auto const answer = answer_of(run({"doctor", "--json"}));
    EXPECT_EQ(answer["mode"], "single");
    EXPECT_EQ(answer["verdict"], "fails");
    EXPECT_EQ(answer["sentinels"], nullptr);
    ASSERT_EQ(answer["servers"].size(), 1U);
    auto const& one = answer["servers"][0];
    EXPECT_EQ(one["problem"], nullptr);
    EXPECT_EQ(one["role"], "master");
    EXPECT_EQ(one["append_only"], false);
    EXPECT_EQ(one["wait_command"], true);
    EXPECT_EQ(one["messages"], true);
    EXPECT_EQ(one["missing_rights"], json::array());
    EXPECT_EQ(one["rights_known"], true);
    EXPECT_EQ(one["round_trips_us"].size(), 10U);
    EXPECT_EQ(state_of(one, "server_restart"), "fails");
    EXPECT_EQ(state_of(one, "kept_when_full"), "holds");
}

TEST_F(doctor_command, changes_nothing_on_the_server) {
    auto const written = [&] {
        std::uint64_t sum = 0;
        for (auto const& [command, count] : command_counts(server))
            for (auto const* const one : {"set", "hset", "restore", "flushall", "config|set", "acl|setuser"})
                if (command == one) sum += count;
        return sum;
    };
    EXPECT_EQ(run({"doctor"}).status, 1);
    EXPECT_EQ(written(), 0U);
    auto const changes = server.run("INFO", "persistence").text;
    EXPECT_NE(changes.find("\nrdb_changes_since_last_save:0\r"), std::string::npos) << "what is not there was removed";
    EXPECT_EQ(server.run("DBSIZE").integer, 0);
}

TEST_F(doctor_command, names_missing_rights_of_the_types_that_are_meant) {
    server.run("ACL", "SETUSER", "default", "-zadd", "-hset");
    auto const all = run({"doctor"});
    EXPECT_NE(all.output.find("ACL SETUSER default +hset +zadd."), std::string::npos) << all.output;
    auto const latches = answer_of(run({"doctor", "--json", "--types", "latch"}));
    EXPECT_EQ(state_of(latches["servers"][0], "rights"), "holds");
    auto const fair = answer_of(run({"doctor", "--json", "--types", "fair"}));
    EXPECT_EQ(fair["servers"][0]["missing_rights"], (json{"+hset", "+zadd"}));
    server.run("ACL", "SETUSER", "default", "+@all");
}

TEST_F(doctor_command, ends_in_time_at_a_server_that_hangs) {
    server.pause();
    auto const begin = std::chrono::steady_clock::now();
    auto const result = run({"doctor", "--limit", "500ms"});
    server.resume();
    EXPECT_EQ(result.status, 69) << result.output;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find("did not answer in time"), std::string::npos) << result.errors;
}

TEST_F(doctor_command, has_a_section_for_each_master_of_a_cluster) {
    redis_cluster cluster;
    auto const answer = answer_of(run({"doctor", "--json", "--server", cluster.uri()}));
    EXPECT_EQ(answer["mode"], "cluster");
    ASSERT_EQ(answer["servers"].size(), 3U);
    for (auto const& one : answer["servers"]) {
        EXPECT_EQ(one["messages"], true) << one;
        EXPECT_EQ(one["rights_known"], true);
        EXPECT_EQ(state_of(one, "automatic_failover"), "fails") << "there are no replicas";
    }
}

TEST_F(doctor_command, says_what_sentinels_can_decide) {
    sentinel_set all;
    auto const answer = answer_of(run({"doctor", "--json", "--server", all.uri()}));
    EXPECT_EQ(answer["mode"], "sentinel");
    EXPECT_EQ(answer["sentinels"]["sentinels"], 3);
    EXPECT_EQ(answer["sentinels"]["reachable"], 3);
    EXPECT_EQ(answer["sentinels"]["quorum"], 2);
    auto const& master = answer["servers"][0];
    EXPECT_EQ(master["replicas"], 1);
    EXPECT_EQ(state_of(master, "automatic_failover"), "holds");
    EXPECT_EQ(state_of(master, "failover"), "fails");
    EXPECT_EQ(state_of(master, "lone_master"), "fails");
    auto const text = run({"doctor", "--server", all.uri()}).output;
    EXPECT_NE(text.find("Sentinels          3, quorum 2\n"), std::string::npos) << text;
}

TEST_F(doctor_command, says_that_too_few_sentinels_are_left_to_decide) {
    sentinel_set all;
    all.stop_sentinel(1);
    all.stop_sentinel(2);
    ASSERT_EQ(all.ask(0, {"SENTINEL", "SET", sentinel_set::master_name, "down-after-milliseconds", "500"}).text, "OK");
    auto const both_are_missed = [&] {
        auto const known = all.ask(0, {"SENTINEL", "SENTINELS", sentinel_set::master_name}).items;
        return std::all_of(known.begin(), known.end(), [](resp::value const& one) {
            return std::any_of(one.items.begin(), one.items.end(),
                               [](resp::value const& field) { return field.text.find("s_down") != std::string::npos; });
        });
    };
    // A Sentinel that was kept from running for two seconds decides nothing for the next thirty.
    ASSERT_TRUE(wait_until(both_are_missed, sentinel_set::longest_failover));
    auto const answer = answer_of(run({"doctor", "--json", "--server", all.uri()}));
    EXPECT_EQ(answer["sentinels"]["sentinels"], 3);
    EXPECT_EQ(answer["sentinels"]["reachable"], 1);
    EXPECT_EQ(state_of(answer["servers"][0], "automatic_failover"), "fails") << answer;
}

TEST_F(doctor_command, says_that_sentinels_may_promote_no_replica) {
    sentinel_set all;
    all.servers()[1].run("CONFIG", "SET", "replica-priority", "0");
    auto const first_has_heard = [&] {
        for (auto const& one : all.ask(0, {"SENTINEL", "REPLICAS", sentinel_set::master_name}).items)
            for (std::size_t at = 0; at + 1 < one.items.size(); at += 2)
                if (one.items[at].text == "slave-priority") return one.items[at + 1].text == "0";
        return false;
    };
    ASSERT_TRUE(wait_until(first_has_heard)) << "Sentinels read INFO of replicas each ten seconds";
    auto const answer = answer_of(run({"doctor", "--json", "--server", all.uri(0)}));
    EXPECT_EQ(answer["sentinels"]["promotable"], 0);
    EXPECT_EQ(state_of(answer["servers"][0], "automatic_failover"), "fails") << answer;
}

TEST_F(doctor_command, says_that_two_masters_of_a_cluster_elect_no_replica) {
    redis_cluster cluster(2, 1);
    auto const answer = answer_of(run({"doctor", "--json", "--server", cluster.uri()}));
    ASSERT_EQ(answer["servers"].size(), 2U);
    for (auto const& one : answer["servers"]) {
        EXPECT_EQ(one["replicas"], 1);
        EXPECT_EQ(state_of(one, "automatic_failover"), "fails");
    }
}

TEST_F(doctor_command, judges_what_replicas_confirm) {
    EXPECT_EQ(state_of(answer_of(run({"doctor", "--json"}))["servers"][0], "replicas_confirm"), "none");
    auto const alone = run({"doctor", "--replicas", "1"});
    EXPECT_NE(alone.output.find("replicas_confirm   does not hold: It has 0 replicas where 1 has to confirm a lock"),
              std::string::npos)
        << alone.output;
    sentinel_set all;
    auto const answer = answer_of(run({"doctor", "--json", "--server", all.uri(), "--replicas", "1"}));
    EXPECT_EQ(state_of(answer["servers"][0], "replicas_confirm"), "holds");
    EXPECT_EQ(state_of(answer["servers"][0], "failover"), "holds");
    auto const connected = answer_of(run({"doctor", "--json", "--server", all.uri(), "--replicas", "all"}));
    EXPECT_EQ(state_of(connected["servers"][0], "replicas_confirm"), "holds");
    EXPECT_EQ(state_of(connected["servers"][0], "failover"), "fails") << "one that is away is not waited for";
}

TEST_F(doctor_command, names_commands_that_the_server_does_not_know) {
    redis_server hidden({.arguments = {"--rename-command", "HSET", "", "--rename-command", "RESTORE", ""}});
    auto const found = run({"doctor", "--server", hidden.uri()});
    for (auto const* const part :
         {"commands           scripts, which cost the server more than plain commands: the server does not know "
          "restore",
          "commands           does not hold: It does not know hset.", "rights             holds"})
        EXPECT_NE(found.output.find(part), std::string::npos) << part << "\n" << found.output;
    auto const latches = answer_of(run({"doctor", "--json", "--types", "latch", "--server", hidden.uri()}));
    EXPECT_EQ(state_of(latches["servers"][0], "commands"), "holds");
    EXPECT_EQ(latches["servers"][0]["unknown_commands"], json::array());
    auto const all = answer_of(run({"doctor", "--json", "--server", hidden.uri()}));
    EXPECT_EQ(all["servers"][0]["unknown_commands"], (json{"restore", "hset"}));
}

TEST_F(doctor_command, refuses_what_it_cannot_use) {
    struct row {
        words arguments;
        std::string said;
    };
    for (auto const& [arguments, said] :
         {row{{"--accept", "failovr"}, "there is no guarantee 'failovr'; did you mean failover?"},
          row{{"--accept", ""}, "--accept is empty"}, row{{"--types", "spinn"}, "did you mean spin?"},
          row{{"--name-prefix", "a b"}, "cannot have blanks"}, row{{"--limit", "1ms"}, "too short"},
          row{{"--limit", "5"}, "--limit"}, row{{"--replicas", "some"}, "neither a number"}, row{{"more"}, "more"}}) {
        auto all = arguments;
        all.insert(all.begin(), "doctor");
        auto const result = run(all);
        EXPECT_EQ(result.status, 64) << said;
        EXPECT_NE(result.errors.find(said), std::string::npos) << result.errors;
        EXPECT_EQ(result.output, "");
    }
}

} // namespace
} // namespace redlatch::test
