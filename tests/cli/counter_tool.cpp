#include "counter_tool.hpp"

#include <utility>

namespace redlatch::test {

void counter_tool_test::TearDown() {
    if (!server.running()) return;
    for (auto const& record : server.run("KEYS", "redlatch_request:*").items) {
        auto const left = pttl(server, record.text);
        EXPECT_TRUE(left > 0 && left <= 60'000) << record.text << " is left for " << left << " ms";
        server.run("DEL", record.text);
    }
    tool_test::TearDown();
}

bool counter_tool_test::somebody_listens_to(std::string const& channel) const {
    auto admin = server.admin();
    return wait_until([&] { return admin.command("PUBSUB", "NUMSUB", channel).items.at(1).integer > 0; });
}

std::string counter_tool_test::output_of(words arguments) const {
    auto const shown = arguments.at(0) + ' ' + arguments.at(1);
    auto const result = run(std::move(arguments));
    EXPECT_EQ(result.status, 0) << shown << ": " << result.errors;
    EXPECT_EQ(result.errors, "") << shown;
    return result.output;
}

std::string counter_tool_test::json_of(words arguments) const {
    arguments.emplace_back("--json");
    return run(std::move(arguments)).output;
}

} // namespace redlatch::test
