// The sections of Redisson's configuration for several servers, and its mappers of addresses.
#include "io/server_set.hpp"
#include "scripted/refusal.hpp"

#include <redlatch/config.hpp>

#include <chrono>
#include <gmock/gmock.h>
#include <string>

namespace redlatch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using namespace std::chrono_literals;

/// Else a lock of Java's would be in another database than ours, with the same file.
TEST(yaml_servers, a_database_behind_a_host_is_not_read_as_it_is_not_by_redisson) {
    auto const single = config::from_yaml("{singleServerConfig: {address: 'redis://me:pw@h:7000/3', database: 2}}");
    EXPECT_EQ(single.address, "redis://me:pw@h:7000");
    EXPECT_EQ(single.database, 2);
    auto const several =
        config::from_yaml("{replicatedServersConfig: {nodeAddresses: ['redis://[::1]:7000/3', 'redis://h']}}");
    EXPECT_THAT(several.topology.nodes, ElementsAre("redis://[::1]:7000", "redis://h"));
    EXPECT_EQ(several.database, 0);
}

TEST(yaml_servers, credentials_in_the_address_of_a_sentinel_are_its_own) {
    auto const settings = config::from_yaml("{sentinelServersConfig: {masterName: m, sentinelAddresses: "
                                            "['redis://finder:f@h:1', 'redis://i:2'], password: p}}");
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://h:1", "redis://i:2"));
    EXPECT_EQ(settings.topology.sentinel_username, "finder");
    EXPECT_EQ(settings.topology.sentinel_password, "f");
    EXPECT_EQ(settings.username, "");
    EXPECT_EQ(settings.password, "p");
    auto const named = config::from_yaml(
        "{sentinelServersConfig: {masterName: m, sentinelAddresses: ['redis://a:b@h:1'], sentinelPassword: c}}");
    EXPECT_EQ(named.topology.sentinel_password, "c");
}

TEST(yaml_servers, sentinels_as_redisson_writes_them) {
    auto const settings = config::from_yaml(R"(
sentinelServersConfig:
  idleConnectionTimeout: 10000
  connectTimeout: 10001
  timeout: 3001
  retryAttempts: 5
  failedSlaveReconnectionInterval: 3000
  failedSlaveNodeDetector: !<org.redisson.client.FailedConnectionDetector> {}
  subscriptionsPerConnection: 5
  loadBalancer: !<org.redisson.connection.balancer.RoundRobinLoadBalancer> {}
  slaveConnectionMinimumIdleSize: 24
  slaveConnectionPoolSize: 64
  masterConnectionMinimumIdleSize: 24
  masterConnectionPoolSize: 64
  readMode: "SLAVE"
  subscriptionMode: "SLAVE"
  sentinelAddresses:
  - "redis://127.0.0.1:26379"
  - "redis://127.0.0.1:26389"
  masterName: "mymaster"
  sentinelUsername: watcher
  sentinelPassword: eye
  username: alice
  password: pw
  database: 3
  checkSentinelsList: true
  sentinelsDiscovery: true
  checkSlaveStatusWithSyncing: true
lockWatchdogTimeout: 20000
checkLockSyncedSlaves: true
)");
    EXPECT_EQ(settings.topology.mode, server_mode::sentinel);
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://127.0.0.1:26379", "redis://127.0.0.1:26389"));
    EXPECT_EQ(settings.topology.master_name, "mymaster");
    EXPECT_EQ(settings.topology.sentinel_username, "watcher");
    EXPECT_EQ(settings.topology.sentinel_password, "eye");
    EXPECT_EQ(settings.topology.scan_interval, 1s) << "Redisson's default";
    EXPECT_EQ(settings.address, "");
    EXPECT_EQ(settings.timeout, 3001ms);
    EXPECT_EQ(settings.connect_timeout, 10001ms);
    EXPECT_EQ(settings.retry_attempts, 5);
    EXPECT_EQ(settings.lock_watchdog_timeout, 20s);
    auto waits = replica_policy::redisson_default();
    waits.retries = 5; // retryAttempts
    EXPECT_EQ(settings.replicas, waits);

    auto const servers = io::resolve_servers(settings);
    EXPECT_EQ(servers.master.username, "alice");
    EXPECT_EQ(servers.master.password, "pw");
    EXPECT_EQ(servers.master.database, 3);
    EXPECT_EQ(servers.nodes.front().username, "watcher");
}

TEST(yaml_servers, nodes_of_a_cluster) {
    auto const settings = config::from_yaml(R"(
clusterServersConfig:
  nodeAddresses: ["redis://10.0.0.1:7000", "redis://10.0.0.2:7000"]
  checkSlotsCoverage: true
  checkMasterLinkStatus: false
  shardedSubscriptionMode: OFF
  password: pw
)");
    EXPECT_EQ(settings.topology.mode, server_mode::cluster);
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://10.0.0.1:7000", "redis://10.0.0.2:7000"));
    EXPECT_EQ(settings.topology.scan_interval, 5s) << "Redisson's default";
    EXPECT_EQ(settings.topology.sharded, sharded_messages::off);
    EXPECT_EQ(settings.password, "pw");
}

sharded_messages sharded(std::string const& word) {
    return config::from_yaml("clusterServersConfig: {nodeAddresses: ['redis://h:1'], shardedSubscriptionMode: " + word
                             + "}")
        .topology.sharded;
}

TEST(yaml_servers, know_which_messages_a_cluster_has) {
    EXPECT_EQ(sharded("AUTO"), sharded_messages::automatic);
    EXPECT_EQ(sharded("ON"), sharded_messages::on);
    EXPECT_EQ(sharded("null"), sharded_messages::automatic);
    EXPECT_THAT(test::refusal([] { sharded("SOMETIMES"); }), HasSubstr("must be AUTO, ON or OFF"));
}

TEST(yaml_servers, a_replicated_set) {
    auto const settings = config::from_yaml("replicatedServersConfig:\n  nodeAddresses:\n  - rediss://a:6379\n  - "
                                            "rediss://b:6379\n  monitorIPChanges: true\n");
    EXPECT_EQ(settings.topology.mode, server_mode::replicated);
    EXPECT_THAT(settings.topology.nodes, ElementsAre("rediss://a:6379", "rediss://b:6379"));
    EXPECT_EQ(settings.topology.scan_interval, 1s) << "Redisson's default";
    EXPECT_TRUE(io::resolve_servers(settings).nodes.front().tls);
}

TEST(yaml_servers, a_master_comes_before_its_replicas) {
    auto const settings =
        config::from_yaml("masterSlaveServersConfig:\n  slaveAddresses: [\"redis://b:1\", \"redis://c:1\"]\n"
                          "  masterAddress: redis://a:1\n  readMode: MASTER\n");
    EXPECT_EQ(settings.topology.mode, server_mode::master_slave);
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://a:1", "redis://b:1", "redis://c:1"));
}

TEST(yaml_servers, may_be_one_text_with_commas) {
    ::setenv("REDLATCH_TEST_NODES", "redis://a:1, redis://b:2", 1);
    auto const settings = config::from_yaml("clusterServersConfig: {nodeAddresses: '${REDLATCH_TEST_NODES}'}");
    ::unsetenv("REDLATCH_TEST_NODES");
    EXPECT_THAT(settings.topology.nodes, ElementsAre("redis://a:1", "redis://b:2"));
}

TEST(yaml_servers, a_scan_interval_of_their_own) {
    EXPECT_EQ(config::from_yaml("replicatedServersConfig: {nodeAddresses: ['redis://h:1'], scanInterval: 2500}")
                  .topology.scan_interval,
              2500ms);
}

TEST(yaml_servers, of_a_single_one_are_as_they_were) {
    auto const settings = config::from_yaml("singleServerConfig: {address: 'redis://h:1'}\nclusterServersConfig: null");
    EXPECT_EQ(settings.topology, topology_options{});
    EXPECT_EQ(settings.address, "redis://h:1");
}

std::map<std::string, std::string> address_map(std::string const& mapper) {
    return config::from_yaml("clusterServersConfig:\n  nodeAddresses: ['redis://h:1']\n  natMapper: " + mapper + "\n")
        .topology.address_map;
}

TEST(yaml_nat_mapper, maps_hosts_with_ports) {
    EXPECT_THAT(address_map("!<org.redisson.api.HostPortNatMapper>\n"
                            "    hostsPortMap: {'172.17.0.2:7000': '10.0.0.1:7100', 'node-2:7000': '[::1]:7200'}"),
                ElementsAre(Pair("172.17.0.2:7000", "10.0.0.1:7100"), Pair("node-2:7000", "[::1]:7200")));
}

TEST(yaml_nat_mapper, maps_hosts_with_all_their_ports) {
    EXPECT_THAT(address_map("!<org.redisson.api.HostNatMapper> {hostsMap: {172.17.0.2: 10.0.0.1}}"),
                ElementsAre(Pair("172.17.0.2", "10.0.0.1")));
    EXPECT_THAT(address_map("{class: org.redisson.api.HostNatMapper, hostsMap: {inner: outer}}"),
                ElementsAre(Pair("inner", "outer")));
}

TEST(yaml_nat_mapper, has_an_older_name) {
    auto const settings = config::from_yaml("clusterServersConfig:\n  nodeAddresses: ['redis://h:1']\n"
                                            "  natMap: {'172.17.0.2:7000': '10.0.0.1:7100'}\n");
    EXPECT_THAT(settings.topology.address_map, ElementsAre(Pair("172.17.0.2:7000", "10.0.0.1:7100")));
}

TEST(yaml_nat_mapper, may_be_redissons_default) {
    EXPECT_THAT(address_map("!<org.redisson.config.DefaultNatMapper> {}"), IsEmpty());
    EXPECT_THAT(address_map("!<org.redisson.client.DefaultNatMapper> {}"), IsEmpty());
    EXPECT_THAT(address_map("null"), IsEmpty());
}

TEST(yaml_nat_mapper, refuses_the_rest) {
    for (auto const& [mapper, because] :
         {std::pair{"!<com.example.OwnMapper> {}", "line 3: natMapper: needs Java code"},
          std::pair{"!<com.example.OwnMapper> {file: x}", "needs Java code"},
          std::pair{"!<com.example.OwnMapper> {}", "say which: natMapper: !<org.redisson.api.HostPortNatMapper>"},
          std::pair{"{class: com.example.OwnMapper, file: x}", "needs Java code"},
          std::pair{"!<org.redisson.api.HostNatMapper> {hostMap: {a: b}}",
                    "line 3: natMapper: hostMap is not known in it; the nearest known name is hostsMap"},
          std::pair{"{class: org.redisson.api.HostPortNatMapper, hostsPortMaps: {'a:1': 'b:1'}}",
                    "the nearest known name is hostsPortMap"},
          std::pair{"!<org.redisson.api.HostNatMapper> {a: b}", "needs a map of addresses in it: hostsPortMap"},
          std::pair{"!<org.redisson.api.HostNatMapper> {}", "needs a map of addresses in it: hostsPortMap"},
          std::pair{"!<com.example.DefaultNat> {}", "needs Java code"},
          std::pair{"!<com.example.DefaultNatMapper> {}", "needs Java code"},
          std::pair{"!<org.redisson.config.DefaultNatMapperOfOurs> {}", "needs Java code"},
          std::pair{"!<org.redisson.api.HostPortNatMapper> {hostsPortMap: [a]}", "needs a map of addresses"},
          std::pair{"!<org.redisson.api.HostPortNatMapper> {hostsPortMap: {a: b:1}}", "'a' in it needs a port"},
          std::pair{"!<org.redisson.api.HostPortNatMapper> {hostsPortMap: {a:1: b}}", "'b' in it needs a port"},
          std::pair{"!<org.redisson.api.HostPortNatMapper> {hostsPortMap: {a:1: b:x}}", "'b:x' in it is no address"},
          std::pair{"!<org.redisson.api.HostNatMapper> {hostsMap: {a: b:1}}", "'b:1' in it may have no port"},
          std::pair{"!<org.redisson.api.HostNatMapper> {hostsMap: {a: [b]}}", "needs single values"}})
        EXPECT_THAT(test::refusal([&mapper = mapper] { address_map(mapper); }), HasSubstr(because)) << mapper;
}

std::string name_prefix(std::string const& mapper) {
    return config::from_yaml("nameMapper: " + mapper + "\nsingleServerConfig: {address: 'redis://h:1'}").name_prefix;
}

TEST(yaml_name_mapper, may_be_a_prefix) {
    EXPECT_EQ(name_prefix("!<org.redisson.config.PrefixNameMapper> {prefix: 'app:'}"), "app:");
    EXPECT_EQ(name_prefix("{class: org.redisson.config.PrefixNameMapper, prefix: 'app:'}"), "app:");
    EXPECT_EQ(name_prefix("!<org.redisson.config.PrefixNameMapper> {}"), "");
    EXPECT_EQ(name_prefix("!<org.redisson.config.DefaultNameMapper> {}"), "");
    EXPECT_EQ(name_prefix("null"), "");
    EXPECT_EQ(config::from_yaml("singleServerConfig:\n  address: redis://h:1\n  nameMapper: "
                                "!<org.redisson.config.PrefixNameMapper> {prefix: '${REDLATCH_TEST_NONE:-app:}'}")
                  .name_prefix,
              "app:");
    for (std::string const other :
         {"!<com.example.PrefixMapper> {prefix: x}", "{prefix: x}", "!<com.example.Mapper> {}",
          "!<org.redisson.config.PrefixNameMapper> {prefix: x, suffix: y}", "!<com.example.DefaultTenantNameMapper> {}",
          "!<com.example.DefaultNameMapper> {}", "text"})
        EXPECT_THAT(test::refusal([&] { name_prefix(other); }), HasSubstr("line 1: nameMapper: needs Java code"))
            << other;
}

struct refused_servers {
    std::string text;
    std::string because;

    friend std::ostream& operator<<(std::ostream& out, refused_servers const& one) { return out << one.text; }
};

class yaml_servers_that_cannot_be : public ::testing::TestWithParam<refused_servers> {};

TEST_P(yaml_servers_that_cannot_be, are_refused_with_a_reason) {
    auto const message = test::refusal([] { config::from_yaml(GetParam().text); });
    EXPECT_THAT(message, AllOf(HasSubstr(GetParam().because), Not(HasSubstr("s3cret"))));
}

INSTANTIATE_TEST_SUITE_P(
    yaml_servers, yaml_servers_that_cannot_be,
    ::testing::Values(
        refused_servers{"sentinelServersConfig: {masterName: m}",
                        "line 1: sentinelServersConfig has no sentinelAddresses, as in sentinelAddresses: ["},
        refused_servers{"sentinelServersConfig: {sentinelAddresses: ['redis://h:1']}", "masterName is empty"},
        refused_servers{"clusterServersConfig: {}", "clusterServersConfig has no nodeAddresses"},
        refused_servers{"clusterServersConfig: {nodeAddresses: []}", "nodeAddresses is empty"},
        refused_servers{"clusterServersConfig: {nodeAddresses: [[a]]}", "needs a list of single values"},
        refused_servers{"clusterServersConfig: {nodeAddresses: {a: b}}", "line 1: nodeAddresses: needs one value"},
        refused_servers{"clusterServersConfig: {nodeAddresses: 'redis://a:1,,redis://b:1'}", "has an empty place"},
        refused_servers{"clusterServersConfig:\n  nodeAddresses:\n  - redis://h:x\n  - redis://b:1",
                        "line 2: nodeAddresses: the address 'redis://h:***' cannot be used"},
        refused_servers{"clusterServersConfig: {nodeAddresses: ['redis://h:1', 'rediss://g:1']}",
                        "with TLS and without"},
        refused_servers{"clusterServersConfig: {nodeAddresses: ['redis-cluster://:s3cret@h:1']}", "nodeAddresses has"},
        refused_servers{"replicatedServersConfig: {}", "replicatedServersConfig has no nodeAddresses"},
        refused_servers{"replicatedServersConfig: {nodeAddresses: ['redis://h:1'], scanInterval: 1}", "out of range"},
        refused_servers{"masterSlaveServersConfig: {slaveAddresses: ['redis://h:1']}", "has no masterAddress"},
        refused_servers{"singleServerConfig: {address: 'redis://h:1'}\nclusterServersConfig: {}",
                        "line 2: clusterServersConfig: there is singleServerConfig in line 1 already"},
        refused_servers{"clusterServersConfig: {adress: x}", "adress is not known in clusterServersConfig"},
        refused_servers{"clusterServersConfig: {masterName: m, nodeAddresses: ['redis://h:1']}",
                        "masterName belongs in sentinelServersConfig, not in clusterServersConfig"},
        refused_servers{"masterSlaveServersConfig:\n  masterAddress: 'redis://h:1'\n  scanInterval: 1",
                        "line 3: scanInterval belongs in sentinelServersConfig, clusterServersConfig or "
                        "replicatedServersConfig, not in masterSlaveServersConfig"},
        refused_servers{"scanInterval: 1\nclusterServersConfig: {nodeAddresses: ['redis://h:1']}",
                        "line 1: scanInterval belongs in clusterServersConfig, not at the top level"},
        refused_servers{"sentinelServersConfig: {sentinelAddreses: []}", "the nearest known name is sentinelAddresses"},
        refused_servers{"sentinelServerConfig: {}", "the nearest known name is sentinelServersConfig"},
        refused_servers{"clusterServersConfig: [a]", "line 1: clusterServersConfig must be a group of keys"}));

TEST(yaml_name_mapper, that_is_java_code_may_be_replaced_by_a_prefix) {
    auto const own = [](std::string const& prefix) { return "redlatch: {namePrefix: " + prefix + "}\n"; };
    std::string const top = "nameMapper: !<com.example.Mapper> {}\nsingleServerConfig: {address: 'redis://h:1'}\n";
    EXPECT_EQ(config::from_yaml(top + own("'app:'")).name_prefix, "app:");
    std::string const in_section =
        "singleServerConfig:\n  address: redis://h:1\n  nameMapper: !<com.example.Mapper> {}\n";
    EXPECT_EQ(config::from_yaml(in_section + own("'app:'")).name_prefix, "app:");
    EXPECT_EQ(config::from_yaml(in_section + own("''")).name_prefix, "") << "names as they are";
    EXPECT_THAT(test::refusal([&] { config::from_yaml(top + own("~")); }), HasSubstr("redlatch: {namePrefix: 'app:'}"));
    EXPECT_EQ(config::from_yaml("spring.redis.redisson.config: |\n  nameMapper: !<com.example.Mapper> {}\n"
                                "  singleServerConfig: {address: 'redis://h:1'}\n"
                                + own("'app:'"))
                  .name_prefix,
              "app:");
    EXPECT_EQ(config::from_yaml("nameMapper: !<com.example.PrefixNameMapper> {prefix: 'old:'}\n"
                                "singleServerConfig: {address: 'redis://h:1'}\n"
                                + own("'app:'"))
                  .name_prefix,
              "app:");
}

TEST(yaml_credentials_resolver, may_be_java_code_where_a_file_has_the_password) {
    std::string const resolver = "credentialsResolver: !<com.example.OwnResolver> {}\n";
    std::string const own = "redlatch: {passwordFile: /run/secret}\n";
    for (auto const& servers : {resolver + "singleServerConfig: {address: 'redis://h:1'}\n",
                                "singleServerConfig:\n  address: redis://h:1\n  " + resolver}) {
        EXPECT_EQ(config::from_yaml(servers + own).password_file, "/run/secret");
        EXPECT_THAT(test::refusal([&] { config::from_yaml(servers); }),
                    AllOf(HasSubstr("credentialsResolver: needs Java code"), HasSubstr("passwordFile"),
                          HasSubstr("config::credentials")));
    }
}

} // namespace
} // namespace redlatch
