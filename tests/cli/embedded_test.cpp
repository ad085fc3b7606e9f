// With no server named: the private one of this user.
#include "tool.hpp"

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class embedded_default : public testing::Test {
protected:
    embedded_default() { ::chmod(folder.path().c_str(), 0700); }
    ~embedded_default() override { run({"server", "stop", "--force"}); }

    std::unique_ptr<child_process> start(words arguments) const {
        words all{"env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "REDLATCH_RUNTIME_DIR=" + folder.path().string(),
                  REDLATCH_TOOL};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return std::make_unique<child_process>(child_options{std::move(all), {}, {}});
    }
    outcome run(words arguments) const {
        auto const tool = start(std::move(arguments));
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
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(run({"server", "status"}).status, 0);
    EXPECT_EQ(run({"ping"}).status, 0);
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
        arguments.insert(arguments.begin(), {REDLATCH_TOOL, "status", "job"});
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
