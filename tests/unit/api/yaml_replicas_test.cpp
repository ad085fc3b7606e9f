// What a document of Redisson's says about replicas: it waits for them unasked where there are several servers.
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>
#include <redlatch/log.hpp>

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace redlatch {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::string const several_sections[]{
    "clusterServersConfig: {nodeAddresses: ['redis://a:1']}",
    "replicatedServersConfig: {nodeAddresses: ['redis://a:1', 'redis://b:1']}",
    "masterSlaveServersConfig: {masterAddress: 'redis://a:1', slaveAddresses: ['redis://b:1']}",
    "sentinelServersConfig: {sentinelAddresses: ['redis://a:1'], masterName: m}",
};

config read(std::string const& servers, std::string const& more = "") {
    return config::from_yaml(servers + "\n" + more);
}

TEST(yaml_replicas, of_several_servers_are_waited_for_as_redisson_does) {
    for (auto const& servers : several_sections)
        EXPECT_EQ(read(servers).replicas, replica_policy::redisson_default()) << servers;
}

TEST(yaml_replicas, have_the_time_that_redisson_gives_them) {
    for (auto const& servers : several_sections)
        EXPECT_EQ(read(servers, "slavesSyncTimeout: 250").replicas, replica_policy::redisson_default(250ms)) << servers;
    EXPECT_THAT(test::refusal([] { read(several_sections[0], "slavesSyncTimeout: 0"); }),
                HasSubstr("line 2: slavesSyncTimeout"));
}

TEST(yaml_replicas, are_not_waited_for_where_redisson_does_not_look_at_them) {
    EXPECT_EQ(read(several_sections[0], "checkLockSyncedSlaves: false").replicas.replicas, 0);
    EXPECT_EQ(read(several_sections[0], "checkLockSyncedSlaves: false\nslavesSyncTimeout: 5").replicas.replicas, 0);
    EXPECT_EQ(read(several_sections[0], "checkLockSyncedSlaves: true").replicas, replica_policy::redisson_default());
    EXPECT_EQ(read(several_sections[0], "checkLockSyncedSlaves: null").replicas, replica_policy::redisson_default());
    EXPECT_THAT(test::refusal([] { read(several_sections[0], "checkLockSyncedSlaves: maybe"); }),
                HasSubstr("line 2: checkLockSyncedSlaves: must be true or false"));
}

TEST(yaml_replicas, of_a_single_server_are_not_waited_for) {
    std::vector<std::string> lines;
    set_log_sink([&](log_level, std::string_view line) { lines.emplace_back(line); }, log_level::debug);
    auto const settings =
        read("singleServerConfig: {address: 'redis://a:1'}", "checkLockSyncedSlaves: true\nslavesSyncTimeout: 5");
    set_log_sink({});
    EXPECT_EQ(settings.replicas, replica_policy::none());
    EXPECT_THAT(lines, Contains(HasSubstr("line 2: checkLockSyncedSlaves is ignored: Redisson waits for no replicas")));
    EXPECT_THAT(lines, Contains(HasSubstr("line 3: slavesSyncTimeout is ignored")));
}

TEST(yaml_replicas, are_what_the_own_settings_say_in_the_end) {
    EXPECT_EQ(read(several_sections[0], "redlatch: {replicas: none}").replicas, replica_policy::none());
    EXPECT_EQ(read(several_sections[0], "slavesSyncTimeout: 250\nredlatch: {replicas: 2}").replicas,
              replica_policy::at_least(2, 250ms));
}

TEST(yaml_replicas, of_spring_boots_own_keys_are_those_of_redisson) {
    EXPECT_EQ(config::from_yaml("spring.redis.cluster.nodes: a:1,b:1").replicas, replica_policy::redisson_default());
    EXPECT_EQ(config::from_yaml("spring.redis.sentinel: {nodes: 'a:1', master: m}").replicas,
              replica_policy::redisson_default());
    EXPECT_EQ(config::from_yaml("spring.redis.host: a").replicas, replica_policy::none());
}

} // namespace
} // namespace redlatch
