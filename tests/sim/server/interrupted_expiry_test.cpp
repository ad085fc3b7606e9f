// Redis 6.2 and 7.0 compute when a key is to expire from one look at the clock, and ask by another one whether that moment is
// over already: where the server is interrupted between them, PEXPIRE by a few ms deletes the key. A script that goes on with
// HSET then makes it anew, without expiry, and a lock that nobody can release is left behind.
#include "locking/script.hpp"
#include "sim/server/differential/generator.hpp"
#include "sim/server/node_client.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace redlatch::sim {
namespace {

constexpr std::uint64_t sequences = 2'000;
/// What the scripts count on: no interruption is longer.
constexpr std::int64_t longest_interruption_ms = 1'000;

std::set<std::string> without_expiry(keyspace const& data) {
    std::set<std::string> names;
    for (auto const& database : data.databases)
        for (auto const& [name, one] : database)
            if (std::holds_alternative<hash_fields>(one.value) && !one.expires_at_ms) names.insert(name);
    return names;
}

/// Of each hash that is there, or was.
std::set<std::pair<std::string, std::string>> fields(redis_node const& node, keyspace const& of) {
    std::set<std::pair<std::string, std::string>> found;
    for (auto const& [name, one] : of.databases[0]) {
        auto const* const hash = std::get_if<hash_fields>(&one.value);
        if (hash == nullptr || !node.data().databases[0].contains(name)) continue;
        for (auto const& [field, value] : *hash) found.emplace(name, field);
    }
    return found;
}

/// Of ours, by its text or its name; null: it is none of them.
locking::script const* script_of(word_list const& command) {
    if (command.size() < 2 || !command[0].starts_with("EVAL")) return nullptr;
    for (auto const* one : locking::scripts::all)
        if (command[1] == one->text || command[1] == one->sha1) return one;
    return nullptr;
}

class interrupted_expiry : public testing::Test {
protected:
    /// Of the sequence with this seed the scripts, one each 300 ms. `check` gets the data before each.
    template <class Check> void play(std::uint64_t seed, Check check) {
        node_settings settings;
        settings.expires_at_once_below_ms = longest_interruption_ms;
        redis_node node(settings);
        node_client client(node);
        for (auto const& step : random_sequence(seed, leases::short_ones)) {
            if (step.what != step::kind::commands) continue;
            for (auto const& command : step.commands) {
                auto const* const script = script_of(command);
                if (script == nullptr) continue;
                if (client.ended()) client = node_client(node);
                client("SCRIPT", "LOAD", script->text);
                client.now_ms += 300; // leases end
                auto before = node.data();
                before.drop_expired(client.now_ms);
                auto const reply = client.send(encoded({command.begin(), command.end()}));
                if (!reply.starts_with("-")) ++played;
                SCOPED_TRACE("seed " + std::to_string(seed) + ", " + shown({.commands = {command}}));
                check(*script, before, node);
            }
        }
    }
    int played = 0;
};

TEST_F(interrupted_expiry, leaves_no_lock_without_a_lease) {
    for (std::uint64_t seed = 1; seed <= sequences && !HasFailure(); ++seed)
        play(seed, [](locking::script const&, keyspace const& before, redis_node const& node) {
            auto const known = without_expiry(before);
            for (auto const& name : without_expiry(node.data())) EXPECT_TRUE(known.contains(name)) << name;
        });
    EXPECT_GT(played, 10'000);
}

TEST_F(interrupted_expiry, leaves_nothing_of_a_lock_or_all_of_it) {
    for (std::uint64_t seed = 1; seed <= sequences && !HasFailure(); ++seed)
        play(seed, [](locking::script const& script, keyspace const& before, redis_node const& node) {
            if (!script.name.ends_with("set_count") && !script.name.ends_with("renew")) return; // others remove fields
            auto const now = fields(node, node.data());
            for (auto const& [name, field] : fields(node, before)) EXPECT_TRUE(now.contains({name, field})) << name;
        });
    EXPECT_GT(played, 10'000);
}

} // namespace
} // namespace redlatch::sim
