#include "support/lock_helpers.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <sstream>

namespace redlatch::test {

std::string unique_name(std::string const& prefix) {
    static std::atomic<std::uint64_t> next{0};
    return prefix + "-" + std::to_string(++next);
}

void expect_clean(redis_server const& server) {
    auto admin = server.admin();
    auto const keys = admin.command("KEYS", "*");
    std::string left;
    for (auto const& key : keys.items) {
        left += " " + key.text + " (";
        for (auto const& one : admin.command("HGETALL", key.text).items) left += one.text + " ";
        left += "for " + std::to_string(admin.command("PTTL", key.text).integer) + " ms)";
    }
    EXPECT_TRUE(keys.items.empty()) << "keys left behind:" << left;
    resp::value channels;
    bool const none = wait_until([&] {
        channels = admin.command("PUBSUB", "CHANNELS");
        return channels.items.empty();
    });
    EXPECT_TRUE(none) << "channels left behind, the first: " << (none ? "" : channels.items.front().text);
}

std::int64_t pttl(redis_server const& server, std::string const& name) {
    return server.run("PTTL", name).integer;
}

std::map<std::string, std::string> holders(redis_server const& server, std::string const& name) {
    auto const fields = server.run("HGETALL", name);
    std::map<std::string, std::string> result;
    for (std::size_t i = 0; i + 1 < fields.items.size(); i += 2)
        if (fields.items[i].text != "mode") // of a read-write lock
            result[fields.items[i].text] = fields.items[i + 1].text;
    return result;
}

std::map<std::string, std::uint64_t> command_counts(redis_server const& server) {
    std::map<std::string, std::uint64_t> result;
    std::istringstream lines(server.run("INFO", "commandstats").text);
    std::string const prefix = "cmdstat_";
    for (std::string line; std::getline(lines, line);) {
        auto const colon = line.find(":calls=");
        if (!line.starts_with(prefix) || colon == std::string::npos) continue;
        result[line.substr(prefix.size(), colon - prefix.size())] = std::stoull(line.substr(colon + 7));
    }
    return result;
}

std::uint64_t scripts_executed(redis_server const& server) {
    return command_counts(server)["evalsha"];
}

bool waits_for_permits(redis_server const& server, std::uint64_t scripts) {
    if (!wait_until([&] { return scripts_executed(server) == scripts + 2; })) return false;
    server.run("PING"); // what was executed before has been answered
    return true;
}

void hold_as_stranger(redis_server const& server, std::string const& name, std::chrono::milliseconds lease,
                      std::string const& owner) {
    auto admin = server.admin();
    ASSERT_EQ(admin.command("HSETNX", name, owner, "1").integer, 1) << name << " is not free";
    admin.command("PEXPIRE", name, std::to_string(lease.count()));
}

void release_as_stranger(redis_server const& server, std::string const& name) {
    auto admin = server.admin();
    admin.command("DEL", name);
    admin.command("PUBLISH", channel_of(name), "0");
}

std::string channel_of(std::string const& name) {
    std::string const prefix = "redisson_lock__channel";
    return name.find('{') == std::string::npos ? prefix + ":{" + name + "}" : prefix + ":" + name;
}

} // namespace redlatch::test
