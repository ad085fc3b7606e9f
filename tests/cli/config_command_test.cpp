// redlatch config check.
#include "tool.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace redlatch::test {
namespace {

class config_command : public tool_test {
protected:
    std::string file(std::string const& text, ::mode_t mode = 0600) const {
        auto path = (folder.path() / "redisson.yaml").string();
        std::ofstream(path) << text;
        EXPECT_EQ(::chmod(path.c_str(), mode), 0);
        return path;
    }

    outcome check(std::string const& text, words flags = {}, ::mode_t mode = 0600) const {
        words all{"config", "check", file(text, mode)};
        all.insert(all.end(), flags.begin(), flags.end());
        return run(all);
    }

    nlohmann::json json(std::string const& text, ::mode_t mode = 0600) const {
        auto const result = check(text, {"--json"}, mode);
        EXPECT_EQ(result.status, 0) << result.errors;
        return nlohmann::json::parse(result.output);
    }
};

/// Has the line, with any number of blanks behind its first word or words.
void expect_line(std::string const& output, std::string const& name, std::string const& value) {
    auto const at = ("\n" + output).find("\n" + name + " ");
    ASSERT_NE(at, std::string::npos) << name << " is not in " << output;
    auto const begin = output.find_first_not_of(' ', at + name.size());
    EXPECT_EQ(output.substr(begin, output.find('\n', begin) - begin), value);
}

TEST_F(config_command, shows_what_a_file_says) {
    auto const result =
        check("singleServerConfig:\n  address: redis://alice:s3cret@h:6380\n  database: 2\n  timeout: 2500\n"
              "  connectionPoolSize: 64\nlockWatchdogTimeout: 20000\n"
              "codec: !<org.redisson.client.codec.StringCodec> {}\nredlatch: {holderLabel: me}\n");
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    expect_line(result.output, "mode", "single");
    expect_line(result.output, "server", "redis://alice:***@h:6380");
    expect_line(result.output, "user", "alice");
    expect_line(result.output, "password", "***");
    expect_line(result.output, "database", "2");
    expect_line(result.output, "tls", "off");
    expect_line(result.output, "timeout", "2s500ms");
    expect_line(result.output, "watchdog", "20s, 100 locks in one script");
    expect_line(result.output, "holder label", "me");
    EXPECT_NE(result.output.find("line 7: codec is ignored: locks store names and numbers only"), std::string::npos);
    EXPECT_NE(result.output.find("line 5: connectionPoolSize is ignored: one connection"), std::string::npos);
    EXPECT_EQ(result.output.find("s3cret"), std::string::npos);
    EXPECT_EQ(result.output.find("warning"), std::string::npos) << result.output;
    EXPECT_EQ(result.output.find("sharded messages"), std::string::npos) << "they are of a cluster";
    EXPECT_EQ(result.output.find("local hand-off"), std::string::npos) << "as usual";
}

TEST_F(config_command, shows_what_differs_from_the_usual) {
    auto const handoff = [&](std::string const& more) {
        return check("singleServerConfig:\n  address: redis://h\nredlatch: {" + more + "}\n").output;
    };
    expect_line(handoff("localHandoff: false"), "local hand-off", "off");
    expect_line(handoff("localHandoffTime: 20"), "local hand-off", "for 20ms at the most");
    expect_line(handoff("localHandoffStrict: true"), "local hand-off", "for 5ms at the most, first come, first served");
    expect_line(check("clusterServersConfig:\n  nodeAddresses: [\"redis://a:1\"]\n").output, "sharded messages",
                "automatic");
}

TEST_F(config_command, shows_sentinels) {
    auto const result =
        check("sentinelServersConfig:\n  sentinelAddresses: [\"rediss://a:1\", \"rediss://b:2\"]\n  masterName: m\n"
              "  sentinelPassword: s3cret\n  natMapper: {hostsPortMap: {'i:1': 'o:2'}}\n"
              "sslVerificationMode: NONE\n");
    EXPECT_EQ(result.status, 0) << result.errors;
    expect_line(result.output, "mode", "sentinel");
    expect_line(result.output, "sentinels", "rediss://a:1, rediss://b:2");
    expect_line(result.output, "master", "m");
    expect_line(result.output, "password", "none");
    expect_line(result.output, "sentinel password", "***");
    expect_line(result.output, "address", "i:1 is reached at o:2");
    expect_line(result.output, "scan", "every 1s");
    expect_line(result.output, "tls", "version 1.2 or later, verification none, authorities of the system");
    EXPECT_NE(result.output.find("the server's certificate is not verified"), std::string::npos);
    EXPECT_EQ(result.output.find("s3cret"), std::string::npos);
}

TEST_F(config_command, shows_what_an_address_says_of_several_servers) {
    auto const object = json("singleServerConfig: {address: 'redis-sentinel://bob:s3cret@a:1,b:2/3#mymaster'}");
    EXPECT_EQ(object["mode"], "sentinel");
    EXPECT_EQ(object["servers"][0], "redis-sentinel://bob:***@a:1,b:2/3#mymaster");
    EXPECT_EQ(object["master"], "mymaster");
    EXPECT_EQ(object["username"], "bob");
    EXPECT_EQ(object["has_password"], true);
    EXPECT_EQ(object["database"], 3);
    EXPECT_EQ(json("singleServerConfig: {address: 'rediss-cluster://a:1'}")["mode"], "cluster");
    EXPECT_EQ(json("singleServerConfig: {address: 'unix://:s3cret@/run/r.sock?db=4'}")["servers"][0],
              "unix://:***@/run/r.sock?db=4");
    EXPECT_EQ(json("singleServerConfig: {address: 'unix:///run/r.sock?db=4'}")["database"], 4);
    EXPECT_EQ(json("singleServerConfig: {address: 'local:'}")["servers"][0], "local:");
}

TEST_F(config_command, shows_where_the_password_is) {
    std::string const text =
        "singleServerConfig: {address: 'redis://h:1'}\nredlatch: {passwordFile: /run/secrets/redis}\n";
    expect_line(check(text).output, "password", "in the file /run/secrets/redis");
    auto const object = json(text);
    EXPECT_EQ(object["password_file"], "/run/secrets/redis");
    EXPECT_EQ(object["has_password"], false);
    std::string const behind_sentinels = "sentinelServersConfig: {sentinelAddresses: ['redis://h:1'], masterName: m}\n"
                                         "redlatch: {sentinelPasswordFile: /run/secrets/sentinels}\n";
    expect_line(check(behind_sentinels).output, "sentinel password", "in the file /run/secrets/sentinels");
    EXPECT_EQ(json(behind_sentinels)["sentinel_password_file"], "/run/secrets/sentinels");
}

TEST_F(config_command, warns_of_files_that_cannot_be_read) {
    auto const missing = (folder.path() / "missing").string();
    auto const object =
        json("singleServerConfig: {address: 'rediss://h:1'}\nredlatch:\n  passwordFile: " + missing
             + "-password\n  tlsCaFile: " + missing + "-ca\n  tlsCertificateFile: " + missing
             + "-certificate\n  tlsKeyFile: " + missing + "-key\n  tlsCaFolder: " + missing + "-folder\n");
    ASSERT_EQ(object["warnings"].size(), 5U) << object["warnings"];
    for (std::size_t i = 0; i < 5; ++i) {
        std::string const one = object["warnings"][i];
        EXPECT_NE(one.find(missing), std::string::npos) << one;
        EXPECT_NE(one.find("No such file or directory"), std::string::npos) << one;
    }
    std::string const text =
        "singleServerConfig: {address: 'redis://h:1'}\nredlatch: {passwordFile: " + missing + "}\n";
    auto const shown = check(text);
    EXPECT_EQ(shown.status, 0);
    expect_line(shown.output, "warning",
                "the password file '" + missing
                    + "' cannot be read by this user: No such file or directory; no "
                      "connection can be made before it can");
    std::ofstream(missing) << "s3cret";
    EXPECT_EQ(::chmod(missing.c_str(), 0600), 0);
    EXPECT_TRUE(json(text)["warnings"].empty());
}

TEST_F(config_command, warns_of_secrets_in_files_that_all_may_read) {
    auto const secret = (folder.path() / "secret").string();
    std::ofstream(secret) << "s3cret";
    std::string const text = "singleServerConfig: {address: 'rediss://h:1'}\nredlatch:\n  passwordFile: " + secret
                             + "\n  tlsCertificateFile: " + secret + "\n  tlsKeyFile: " + secret + "\n";
    EXPECT_EQ(::chmod(secret.c_str(), 0644), 0);
    auto const warnings = json(text)["warnings"];
    ASSERT_EQ(warnings.size(), 2U) << warnings;
    for (std::string const one : warnings) EXPECT_NE(one.find("may be read by every user"), std::string::npos) << one;
    EXPECT_EQ(::chmod(secret.c_str(), 0640), 0);
    EXPECT_TRUE(json(text)["warnings"].empty());
}

TEST_F(config_command, says_whether_there_are_further_attempts) {
    std::string const server = "singleServerConfig: {address: 'redis://h:1', retryAttempts: ";
    EXPECT_NE(check(server + "0}\n").output.find(", no further attempt\n"), std::string::npos);
    EXPECT_NE(check(server + "1}\n").output.find(", 1 more attempt, the first after "), std::string::npos);
}

TEST_F(config_command, warns_of_a_codec_that_javas_locks_on_values_have) {
    std::string const server = "singleServerConfig: {address: 'redis://h:1'}\n";
    auto const warnings = json(server + "codec: !<org.redisson.codec.Kryo5Codec> {}\n")["warnings"];
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(warnings[0].get<std::string>().starts_with("line 2: codec is not StringCodec: a faster_multi_lock"));
    for (std::string const codec :
         {"!<org.redisson.client.codec.StringCodec> {}", "null", "{class: org.redisson.client.codec.StringCodec}"})
        EXPECT_TRUE(json(server + "codec: " + codec + "\n")["warnings"].empty()) << codec;
    auto const locked = run({"run", "job", "--config",
                             file("singleServerConfig: {address: '" + this->server.uri()
                                  + "'}\ncodec: !<org.redisson.codec.Kryo5Codec> {}\n"),
                             "--", "true"});
    EXPECT_EQ(locked.status, 0) << locked.errors;
    EXPECT_EQ(locked.errors, "") << "the tool takes no such lock";
}

TEST_F(config_command, shows_the_tls_of_sentinels_beside_that_of_the_servers) {
    std::string const text = "sentinelServersConfig: {sentinelAddresses: ['rediss://h:1'], masterName: m}\n";
    expect_line(check(text).output, "tls of sentinels",
                "version 1.2 or later, verification strict, authorities of the system");
    auto const own = text + "redlatch: {serversUseTls: false, sentinelTlsCaFile: /missing/ca.pem}\n";
    expect_line(check(own).output, "tls", "off");
    expect_line(check(own).output, "tls of sentinels",
                "version 1.2 or later, verification strict, authorities in /missing/ca.pem");
    EXPECT_TRUE(json(own)["tls"].is_null());
    EXPECT_EQ(json(own)["sentinel_tls"]["ca_file"], "/missing/ca.pem");
    EXPECT_NE(json(own)["warnings"].dump().find("sentinelTlsCaFile"), std::string::npos);
    EXPECT_TRUE(json("singleServerConfig: {address: 'rediss://h:1'}\n")["sentinel_tls"].is_null());
}

TEST_F(config_command, shows_that_only_the_named_sentinels_are_asked) {
    std::string const text = "sentinelServersConfig: {sentinelAddresses: ['redis://h:1'], masterName: m, "
                             "sentinelsDiscovery: ";
    expect_line(check(text + "false}\n").output, "other sentinels", "are not asked");
    EXPECT_EQ(json(text + "false}\n")["discover_sentinels"], false);
    EXPECT_EQ(json(text + "true}\n")["discover_sentinels"], true);
}

TEST_F(config_command, reads_a_pipe) {
    auto const name = file("singleServerConfig: {address: '" + server.uri() + "'}\n");
    child_process shell({{"bash", "-c",
                          the_tool() + " ping --config <(cat " + name + ") && cat " + name + " | " + the_tool()
                              + " run job --config /dev/stdin -- true"},
                         {},
                         {}});
    auto const result = finish(shell);
    EXPECT_EQ(result.status, 0) << result.errors;
}

TEST_F(config_command, writes_json) {
    auto const object =
        json("clusterServersConfig: {nodeAddresses: ['redis://a:1'], password: s3cret, readMode: SLAVE}\n", 0644);
    EXPECT_EQ(object["mode"], "cluster");
    EXPECT_EQ(object["servers"], nlohmann::json::array({"redis://a:1"}));
    EXPECT_EQ(object["username"], nullptr);
    EXPECT_EQ(object["has_password"], true);
    EXPECT_EQ(object["scan_interval_ms"], 5000);
    EXPECT_EQ(object["tls"], nullptr);
    EXPECT_EQ(object["lock_watchdog_timeout_ms"], 30000);
    EXPECT_EQ(object["local_handoff"]["enabled"], true);
    ASSERT_EQ(object["ignored"].size(), 1U);
    EXPECT_EQ(object["ignored"][0], "line 1: readMode is ignored: everything is asked of the master");
    ASSERT_EQ(object["warnings"].size(), 1U);
    EXPECT_NE(object["warnings"][0].get<std::string>().find("every user of this machine may read it"),
              std::string::npos);
}

TEST_F(config_command, shows_for_which_replicas_locks_wait) {
    std::string const cluster = "clusterServersConfig: {nodeAddresses: ['redis://a:1']}\n";
    expect_line(
        check(cluster).output, "replicas",
        "all that are connected within 1s, 1 of them at least, 4 more attempts; else an error; a server without "
        "WAIT counts as one without replicas");
    expect_line(check(cluster + "redlatch: {replicas: 2, replicasTimeout: 250, onTooFewReplicas: accept}").output,
                "replicas", "2 within 250ms; else held all the same");
    EXPECT_EQ(check("singleServerConfig: {address: 'redis://a:1'}").output.find("replicas"), std::string::npos);
    auto const object = json(cluster)["replicas"];
    EXPECT_EQ(object["wanted"], "all");
    EXPECT_EQ(object["required"], 1);
    EXPECT_EQ(object["time_ms"], 1000);
    EXPECT_EQ(object["shortage"], "fail");
    EXPECT_EQ(object["retries"], 4);
    EXPECT_EQ(object["needs_wait"], false);
}

TEST_F(config_command, refuses_what_cannot_be_used) {
    auto const result = check("singleServerConfig:\n  adress: redis://h\n");
    EXPECT_EQ(result.status, 64);
    EXPECT_EQ(result.output, "");
    EXPECT_NE(result.errors.find("redisson.yaml: the YAML configuration cannot be used: line 2: adress is not known in "
                                 "singleServerConfig; the nearest known name is address"),
              std::string::npos)
        << result.errors;
    EXPECT_EQ(run({"config", "check", "/nowhere.yaml"}).status, 64);
    EXPECT_EQ(run({"config", "check"}).status, 64);
    EXPECT_EQ(run({"config"}).status, 64);
    EXPECT_NE(run({"config", "chekc"}).errors.find("did you mean check?"), std::string::npos);
}

TEST_F(config_command, reads_the_file_that_springs_settings_name) {
    file("singleServerConfig: {address: 'redis://h:1'}");
    std::ofstream(folder.path() / "application.yaml") << "spring.redis.redisson.file: classpath:redisson.yaml\n";
    auto const result = run({"config", "check", (folder.path() / "application.yaml").string()});
    EXPECT_EQ(result.status, 0) << result.errors;
    expect_line(result.output, "server", "redis://h:1");
}

} // namespace
} // namespace redlatch::test
