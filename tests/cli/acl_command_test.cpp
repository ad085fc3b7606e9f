// redlatch acl. That its rule is enough: acl_rule_test.cpp.
#include "tool.hpp"

#include <fstream>

namespace redlatch::test {
namespace {

class acl_command : public tool_test {};

TEST_F(acl_command, prints_the_rule_of_the_operating_page) {
    auto const result = run({"acl", "--name-prefix", "jobs:"});
    EXPECT_EQ(result.status, 0) << result.errors;
    std::ifstream page(REDLATCH_CLI_SOURCES "/../docs/operating.md");
    bool found = false;
    for (std::string line; std::getline(page, line);) found = found || line + "\n" == result.output;
    EXPECT_TRUE(found) << "the page has another rule than: " << result.output;
}

TEST_F(acl_command, prints_what_some_types_need) {
    auto const result = run({"acl", "--types", "spin,latch", "--user", "importer"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_TRUE(result.output.starts_with(
        "ACL SETUSER importer on >PASSWORD ~* resetchannels &redisson_countdownlatch__channel__* +restore "))
        << result.output;
    EXPECT_EQ(result.output.find("rpush"), std::string::npos) << result.output;
}

TEST_F(acl_command, prints_what_arrangements_of_several_servers_need) {
    struct row {
        words arguments;
        std::vector<std::string> with;
        std::vector<std::string> without;
    };
    for (auto const& [arguments, with, without] :
         {row{{}, {" +publish "}, {" +role", " +asking", "shard"}},
          row{{"--topology", "master_slave"}, {" +publish "}, {" +role", " +asking", "shard"}},
          row{{"--topology", "sentinel"}, {" +role", " +publish ", " +subscribe "}, {" +asking", "sentinel|"}},
          row{{"--topology", "replicated"}, {" +role"}, {" +asking"}},
          row{{"--replicas"}, {" +role", " +wait"}, {" +asking"}},
          row{{"--database", "3"}, {" +publish ", " +select "}, {" +role"}},
          row{{"--database", "0"}, {" +publish "}, {" +select"}},
          row{{"--topology", "sentinel", "--database", "3"}, {" +role", " +select "}, {" +asking"}},
          row{{"--topology", "cluster", "--replicas"}, {" +role", " +wait", " +asking"}, {" +publish"}},
          row{{"--topology", "cluster"},
              {" +cluster|nodes", " +asking", " +spublish ", " +ssubscribe ", " +sunsubscribe ",
               " +pubsub|shardnumsub"},
              {" +publish", " +subscribe", " +unsubscribe", "|numsub", " +role"}},
          row{{"--topology", "cluster", "--sharded", "off"},
              {" +cluster|nodes", " +asking", " +publish ", " +subscribe ", "|numsub"},
              {"+spublish", "shard", " +ssubscribe"}}}) {
        auto all = arguments;
        all.insert(all.begin(), "acl");
        auto const result = run(all);
        EXPECT_EQ(result.status, 0) << result.errors;
        auto const words_of_rule = result.output.substr(0, result.output.find('\n')) + " ";
        for (auto const& word : with) EXPECT_NE(words_of_rule.find(word), std::string::npos) << word;
        for (auto const& word : without) EXPECT_EQ(result.output.find(word), std::string::npos) << word;
    }
}

TEST_F(acl_command, prints_the_rule_for_the_sentinels_themselves) {
    auto const result = run({"acl", "--sentinels", "--user", "finder"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(
        result.output,
        "ACL SETUSER finder on >PASSWORD resetchannels &+switch-master +sentinel|get-master-addr-by-name "
        "+sentinel|master +sentinel|sentinels +sentinel|replicas +subscribe +unsubscribe +client|setname +ping\n");
}

TEST_F(acl_command, refuses_what_would_be_no_rule) {
    struct row {
        words arguments;
        std::string said;
    };
    for (auto const& [arguments, said] :
         {row{{"--types", "spin,ltch"}, "there is no type 'ltch'; did you mean latch?"},
          row{{"--types", ""}, "--types is empty"}, row{{"--name-prefix", "two words"}, "cannot have blanks"},
          row{{"--name-prefix", ""}, "--name-prefix is empty"}, row{{"--user", "a\nb"}, "control characters"},
          row{{"--topology", "sentinels"}, "sentinel"}, row{{"--sharded", "off"}, "belongs to --topology cluster"},
          row{{"--sentinels", "--types", "spin"}, "stands alone"},
          row{{"--sentinels", "--database", "3"}, "stands alone"}, row{{"--database", "-1"}, "--database"},
          row{{"--database", "x"}, "--database"}, row{{"more"}, "more"}}) {
        auto all = arguments;
        all.insert(all.begin(), "acl");
        auto const result = run(all);
        EXPECT_EQ(result.status, 64) << said;
        EXPECT_NE(result.errors.find(said), std::string::npos) << result.errors;
        EXPECT_EQ(result.output, "");
    }
}

} // namespace
} // namespace redlatch::test
