// The tool finds its server through Sentinels.
#include "support/sentinel_set.hpp"
#include "tool.hpp"

namespace redlatch::test {
namespace {

class sentinel_command : public tool_test {
protected:
    sentinel_set all{{.sentinels = 1, .replicas = 0}};
    words const to_master{"--server", all.uri()};
};

TEST_F(sentinel_command, a_command_runs_under_a_lock_of_the_master) {
    auto const done = run(script("echo run", to_master));
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_EQ(done.output, "run\n");
    EXPECT_GT(command_counts(all.servers()[0])["publish"], 0U) << "the lock was released there";
    EXPECT_EQ(command_counts(server)["publish"], 0U);
}

TEST_F(sentinel_command, a_name_that_no_sentinel_knows_is_a_refusal_that_says_what_to_check) {
    auto uri = all.uri();
    uri.replace(uri.find('#'), std::string::npos, "#invoices");
    auto const failed = run(script("echo run", {"--server", uri}));
    EXPECT_EQ(failed.status, 69);
    EXPECT_EQ(failed.output, "");
    EXPECT_NE(failed.errors.find("knows a master 'invoices': check topology.master_name"), std::string::npos)
        << failed.errors;
}

} // namespace
} // namespace redlatch::test
