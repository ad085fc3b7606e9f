// With no server named: the private one of this user.
#include "support/wait_until.hpp"
#include "tool.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class embedded_default : public testing::Test {
protected:
    embedded_default() { ::chmod(folder.path().c_str(), 0700); }
    ~embedded_default() override { run({"server", "stop", "--force"}); }

    std::unique_ptr<child_process> start(words arguments, words const& environment = {}) const {
        words all{"env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "REDLATCH_RUNTIME_DIR=" + folder.path().string()};
        all.insert(all.end(), environment.begin(), environment.end());
        all.emplace_back(the_tool());
        all.insert(all.end(), arguments.begin(), arguments.end());
        return std::make_unique<child_process>(child_options{std::move(all), {}, {}});
    }
    outcome run(words arguments, words const& environment = {}) const {
        auto const tool = start(std::move(arguments), environment);
        outcome result;
        tool->close_input();
        while (auto line = tool->read_line()) result.output += *line + '\n';
        auto const status = tool->wait();
        result.status = status ? outcome_of(*status) : -1;
        result.errors = tool->error_text();
        return result;
    }

    temporary_folder folder;
};

TEST_F(embedded_default, is_started_by_the_first_who_needs_it_and_outlives_them) {
    EXPECT_EQ(run({"server", "status"}).status, 1) << "asking does not start it";
    auto const result = run({"run", "job", "--", "echo", "ran"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.output, "ran\n");
    EXPECT_EQ(run({"server", "status"}).status, 0);
    EXPECT_EQ(run({"ping"}).status, 0);
}

TEST_F(embedded_default, is_announced_in_one_line_unless_it_was_asked_for) {
    auto const socket = (folder.path() / "redis.sock").string();
    for (auto const& command : std::vector<words>{
             {"run", "job", "--", "true"}, {"status", "job"}, {"list"}, {"unlock", "job", "--force"}, {"ping"}}) {
        auto const errors = run(command).errors;
        EXPECT_NE(errors.find(socket), std::string::npos) << command.front() << ": " << errors;
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    }
    auto const event = nlohmann::json::parse(run({"ping", "--json"}).errors);
    EXPECT_EQ(event["event"], "private_server");
    EXPECT_EQ(event["socket"], socket);
    EXPECT_EQ(run({"run", "job", "--server", "local:", "--", "true"}).errors, "");
    EXPECT_EQ(run({"ping", "--server", "local:"}).errors, "");
    EXPECT_EQ(run({"ping"}, {"REDLATCH_SERVER=local:"}).errors, "");
    EXPECT_EQ(run({"server", "status"}).errors, "") << "it is named";
}

TEST_F(embedded_default, is_refused_where_a_server_is_required) {
    auto const by_flag = run({"run", "job", "--require-server", "--", "echo", "ran"});
    EXPECT_EQ(by_flag.status, 64);
    EXPECT_EQ(by_flag.output, "");
    EXPECT_NE(by_flag.errors.find("--require-server"), std::string::npos) << by_flag.errors;
    auto const by_environment = run({"run", "job", "--", "echo", "ran"}, {"REDLATCH_REQUIRE_SERVER=1"});
    EXPECT_EQ(by_environment.status, 64);
    EXPECT_NE(by_environment.errors.find("REDLATCH_REQUIRE_SERVER"), std::string::npos) << by_environment.errors;
    EXPECT_EQ(run({"server", "status"}).status, 1) << "and was not started";
    EXPECT_EQ(run({"ping"}, {"REDLATCH_REQUIRE_SERVER=0"}).status, 0);
    EXPECT_EQ(run({"ping"}, {"REDLATCH_REQUIRE_SERVER="}).status, 0);
    EXPECT_EQ(run({"ping", "--require-server", "--server", "local:"}).status, 0) << "it is named";
}

TEST_F(embedded_default, is_not_looked_for_with_a_file_which_is_warned_about_when_it_shows_a_password) {
    redis_server named;
    auto const file = (folder.path() / "redisson.yaml").string();
    std::ofstream(file) << "singleServerConfig:\n  address: \"" << named.uri() << "\"\n  username: default\n"
                        << "  password: s3cret\n";
    ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
    auto const warned = run({"ping", "--config", file});
    EXPECT_EQ(warned.status, 0) << "a user without a password takes any: " << warned.errors;
    EXPECT_NE(warned.errors.find("every user of this machine may read it"), std::string::npos) << warned.errors;
    EXPECT_EQ(warned.errors.find("s3cret"), std::string::npos);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    EXPECT_EQ(run({"ping", "--config", file}).errors, "");
}

TEST_F(embedded_default, excludes_and_hands_over_between_processes) {
    auto const holder = start({"hold", "job"});
    ASSERT_EQ(line_of(*holder), "held");
    EXPECT_EQ(run({"run", "job", "--no-wait", "--", "true"}).status, 75);
    auto const waiter = start({"run", "job", "--", "echo", "mine"});
    holder->signal(SIGTERM);
    EXPECT_EQ(line_of(*waiter), "mine");
}

TEST_F(embedded_default, ten_first_uses_start_one_server) {
    std::vector<std::unique_ptr<child_process>> all;
    for (int i = 0; i < 10; ++i) all.push_back(start({"run", "job", "--", "true"}));
    for (auto& tool : all) {
        auto const status = tool->wait();
        ASSERT_TRUE(status) << tool->error_text();
        EXPECT_EQ(outcome_of(*status), 0) << tool->error_text();
    }
    auto const first = nlohmann::json::parse(run({"server", "status", "--json"}).output);
    EXPECT_TRUE(first["running"]);
    EXPECT_EQ(first["keys"], 0);
    EXPECT_EQ(run({"run", "job", "--", "true"}).status, 0);
    EXPECT_EQ(nlohmann::json::parse(run({"server", "status", "--json"}).output)["pid"], first["pid"]);
}

TEST_F(embedded_default, server_status_is_one_object) {
    auto const off = nlohmann::ordered_json::parse(run({"server", "status", "--json"}).output);
    EXPECT_FALSE(off["running"]);
    EXPECT_TRUE(off["pid"].is_null());
    run({"run", "job", "--", "true"});
    auto const on = nlohmann::ordered_json::parse(run({"server", "status", "--json"}).output);
    std::string keys;
    for (auto const& [key, value] : on.items()) keys += key + " ";
    EXPECT_EQ(keys, "running socket pid software version uptime_s clients keys ");
    EXPECT_EQ(::kill(on["pid"], 0), 0);
}

TEST_F(embedded_default, is_not_stopped_under_a_holder) {
    auto const holder = start({"hold", "job"});
    ASSERT_EQ(line_of(*holder), "held");
    auto const refused = run({"server", "stop"});
    EXPECT_EQ(refused.status, 75);
    EXPECT_NE(refused.errors.find("--force"), std::string::npos) << refused.errors;
    holder->signal(SIGTERM);
    holder->wait();
    EXPECT_EQ(run({"server", "stop"}).status, 0);
    EXPECT_EQ(run({"server", "stop"}).status, 1) << "none runs";
    EXPECT_EQ(run({"server", "status"}).status, 1);
}

TEST_F(embedded_default, is_not_stopped_under_a_holder_of_any_kind) {
    std::vector<words> const kinds{{"hold", "job"},
                                   {"hold", "job", "--fair"},
                                   {"hold", "job", "--fenced"},
                                   {"hold", "job", "--shared"},
                                   {"hold", "job", "--write"},
                                   {"hold", "job", "--write", "--fenced"},
                                   {"hold", "reports", "--permits", "1/3"},
                                   {"hold", "re{ports}", "--permits", "2/3"},
                                   {"elect", "job", "--", "sh", "-c", "echo held; read line"},
                                   {"elect", "job", "--candidate", "a:b 7", "--", "sh", "-c", "echo held; read line"}};
    for (auto const& kind : kinds) {
        std::string shown;
        for (auto const& word : kind) shown += word + ' ';
        auto const holder = start(kind);
        ASSERT_EQ(line_of(*holder).substr(0, 4), "held") << shown;
        auto const refused = run({"server", "stop"});
        EXPECT_EQ(refused.status, 75) << shown << refused.output << refused.errors;
        EXPECT_NE(refused.errors.find("'" + kind[1] + "'"), std::string::npos) << shown << refused.errors;
        holder->close_input();
        holder->signal(SIGTERM);
        EXPECT_TRUE(holder->wait()) << shown;
        EXPECT_EQ(run({"server", "stop"}).status, 0) << shown << "and then it is";
    }
}

TEST_F(embedded_default, that_ends_under_a_waiter_is_started_again) {
    auto const holder = start({"hold", "job"});
    ASSERT_EQ(line_of(*holder), "held");
    auto const waiter = start({"run", "job", "--verbose", "--", "echo", "mine"});
    ASSERT_TRUE(wait_until([&] { return waiter->error_text().find("waiting for the lock") != std::string::npos; }));
    EXPECT_EQ(run({"server", "stop", "--force"}).status, 0);
    EXPECT_EQ(line_of(*waiter), "mine");
    EXPECT_EQ(outcome_of(waiter->wait().value()), 0);
}

TEST_F(embedded_default, is_started_for_a_run_however_often_it_is_ended_beside_it) {
    for (int round = 0; round < 5; ++round) {
        auto const tool = start({"run", "job", "--", "echo", "mine"});
        for (int stop = 0; stop < 3; ++stop) run({"server", "stop"}); // refused while the lock is held
        EXPECT_EQ(line_of(*tool), "mine") << tool->error_text();
        EXPECT_EQ(outcome_of(tool->wait().value()), 0) << tool->error_text();
    }
}

TEST_F(embedded_default, makes_no_second_holder_when_its_folder_is_removed) {
    auto const holder = start({"hold", "job"});
    ASSERT_EQ(line_of(*holder), "held");
    auto const process = nlohmann::json::parse(run({"server", "status", "--json"}).output)["pid"].get<int>();
    std::filesystem::remove_all(folder.path());
    auto const text = "process " + std::to_string(process);

    auto const second = run({"run", "job", "--", "echo", "ran"});
    EXPECT_EQ(second.status, 69);
    EXPECT_EQ(second.output, "") << "nothing may run beside the holder";
    EXPECT_NE(second.errors.find(text), std::string::npos) << second.errors;
    auto const asked = run({"server", "status"});
    EXPECT_EQ(asked.status, 69) << "neither runs nor does not run";
    EXPECT_NE(asked.errors.find(text), std::string::npos) << asked.errors;
    auto const kept = run({"server", "stop"});
    EXPECT_EQ(kept.status, 69);
    EXPECT_NE(kept.errors.find("--force"), std::string::npos) << kept.errors;
    EXPECT_EQ(::kill(process, 0), 0);
    EXPECT_EQ(run({"server", "stop", "--force"}).status, 0);
    EXPECT_EQ(run({"run", "job", "--", "echo", "ran"}).output, "ran\n") << "and then there may be another one";
}

TEST_F(embedded_default, is_refused_to_a_program_with_more_rights_than_its_caller) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to a group that it is not in";
    auto const tool = folder.path() / "redlatch";
    auto const trap = folder.path() / "redis-server";
    auto const mark = folder.path() / "mark";
    std::filesystem::copy_file(the_tool(), tool);
    ASSERT_EQ(::chown(tool.c_str(), 0, 12345), 0);
    ASSERT_EQ(::chmod(tool.c_str(), 02755), 0);
    std::ofstream(trap) << "#!/bin/sh\nid > " << mark.string() << "\n";
    ASSERT_EQ(::chmod(trap.c_str(), 0755), 0);
    child_process caller(
        child_options{{"env", "-i", "PATH=" + folder.path().string() + ":/usr/bin:/bin",
                       "REDLATCH_RUNTIME_DIR=" + folder.path().string(), tool.string(), "run", "job", "--", "true"},
                      {},
                      {}});
    auto const status = caller.wait();
    ASSERT_TRUE(status);
    EXPECT_EQ(outcome_of(*status), 64) << caller.error_text();
    EXPECT_NE(caller.error_text().find("more rights than its caller"), std::string::npos) << caller.error_text();
    EXPECT_FALSE(std::filesystem::exists(mark)) << "the caller's redis-server ran with the group of the tool";
}

TEST_F(embedded_default, does_not_use_a_folder_that_others_can_enter) {
    ::chmod(folder.path().c_str(), 0755);
    auto const result = run({"run", "job", "--", "true"});
    EXPECT_EQ(result.status, 64);
    EXPECT_NE(result.errors.find(folder.path().string()), std::string::npos) << result.errors;
}

TEST_F(embedded_default, is_overruled_by_flag_and_environment_in_that_order) {
    redis_server named;
    redis_server other;
    auto const file = (folder.path() / "redisson.yaml").string();
    std::ofstream(file) << "singleServerConfig:\n  address: \"" << named.uri() << "\"\n";
    auto const held_at_named = [&](words arguments, words environment) {
        hold_as_stranger(named, "job", 1h);
        arguments.insert(arguments.begin(), {the_tool(), "status", "job"});
        child_process tool(child_options{std::move(arguments), std::move(environment), {}});
        auto const status = tool.wait();
        named.run("DEL", "job");
        return status && outcome_of(*status) == 0;
    };
    auto const at_named = "REDLATCH_SERVER=" + named.uri();
    auto const at_other = "REDLATCH_SERVER=" + other.uri();
    EXPECT_TRUE(held_at_named({}, {at_named}));
    EXPECT_TRUE(held_at_named({"--server", named.uri()}, {at_other})) << "a flag beats the environment";
    EXPECT_TRUE(held_at_named({"--config", file}, {at_other})) << "so does a file that a flag names";
    EXPECT_TRUE(held_at_named({}, {"REDLATCH_CONFIG=" + file, "REDLATCH_SERVER="}));
    EXPECT_FALSE(held_at_named({}, {"REDLATCH_CONFIG=" + file, at_other})) << "an address beats a file";
}

} // namespace
} // namespace redlatch::test
