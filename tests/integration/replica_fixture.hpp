// A master with two replicas, and a client whose locks they have to confirm.
#pragma once

#include "integration/fixture.hpp"
#include "support/both_faces.hpp"
#include "support/sentinel_set.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace redlatch::test {

/// A test that passes never waits so long.
inline constexpr duration for_long = patience;

inline replica_policy with(replica_policy policy, replica_shortage shortage) {
    policy.shortage = shortage;
    return policy;
}

class with_replicas : public ::testing::Test {
protected:
    replica_set servers{2};
    redis_server& master = servers[0];
    std::string const name = unique_name();
    client user{quick(servers.uri(0))};

    with_replicas() {
        // A replica that has just come gets what is written from its first word on, which it says after up to a second.
        auto admin = master.admin();
        admin.command("SET", "written", "before");
        EXPECT_EQ(admin.command("WAIT", "2", "20000").integer, 2);
        admin.command("DEL", "written");
    }
    ~with_replicas() override { resume_replicas(); }

    any_lock lock_with(replica_policy const& policy) { return user.get_lock(name, {.replicas = policy}); }
    bool has_lock(std::size_t which) const { return servers[which].run("EXISTS", name).integer == 1; }
    std::uint64_t waits() const { return command_counts(master)["wait"]; }
    /// That carry commands.
    std::size_t connections_of(client const& whose) const {
        auto const list = master.run("CLIENT", "LIST").text;
        std::size_t count = 0;
        for (auto at = list.find(whose.id()); at != std::string::npos; at = list.find(whose.id(), at + 1)) ++count;
        return count;
    }
    /// A WAIT is under way on the master.
    bool somebody_waits() const { return blocked_clients() > 0; }
    int blocked_clients() const {
        auto const text = master.run("INFO", "clients").text;
        std::string_view const field = "blocked_clients:";
        auto const at = text.find(field);
        return at == std::string::npos ? -1 : std::stoi(text.substr(at + field.size()));
    }
    void pause_replicas() const {
        servers[1].pause();
        servers[2].pause();
    }
    void resume_replicas() const {
        for (std::size_t i = 1; i < servers.size(); ++i)
            if (servers[i].running()) servers[i].resume();
    }
};

} // namespace redlatch::test
