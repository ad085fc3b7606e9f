// The flags that say how the tool gets to its server.
#include "support/sentinel_set.hpp"
#include "tool.hpp"

#include <fstream>
#include <string>
#include <sys/stat.h>

namespace redlatch::test {
namespace {

class server_flags : public tool_test {
protected:
    std::string file(std::string const& name, std::string const& text) const {
        auto path = (folder_.path() / name).string();
        std::ofstream(path) << text;
        EXPECT_EQ(::chmod(path.c_str(), 0600), 0);
        return path;
    }

private:
    temporary_folder folder_;
};

TEST_F(server_flags, name_the_file_of_the_password) {
    EXPECT_EQ(server.run("ACL", "SETUSER", "alice", "on", ">s3cret", "~*", "&*", "+@all").text, "OK");
    auto uri = server.uri();
    uri.insert(uri.find("://") + 3, "alice:@");
    EXPECT_EQ(run({"ping", "--server", uri}).status, 69);
    auto const right = run({"ping", "--server", uri, "--password-file", file("right", "s3cret\n")});
    EXPECT_EQ(right.status, 0) << right.errors;
    auto const wrong = run({"ping", "--server", uri, "--password-file", file("wrong", "secret")});
    EXPECT_EQ(wrong.status, 69);
    EXPECT_NE(wrong.errors.find("refused user name or password"), std::string::npos) << wrong.errors;
    auto const twice = run({"ping", "--server", uri.replace(uri.find('@'), 1, "s3cret@"), "--password-file", "none"});
    EXPECT_EQ(twice.status, 64);
    EXPECT_NE(twice.errors.find("password_file and a password are both set"), std::string::npos) << twice.errors;
}

TEST_F(server_flags, beat_what_the_file_with_settings_says) {
    EXPECT_EQ(server.run("ACL", "SETUSER", "alice", "on", ">s3cret", "~*", "&*", "+@all").text, "OK");
    auto const settings = file("settings.yaml", "singleServerConfig: {address: '" + server.uri()
                                                    + "', username: alice}\nredlatch: {passwordFile: none}\n");
    EXPECT_EQ(run({"ping", "--config", settings}).status, 69);
    auto const done = run({"ping", "--config", settings, "--password-file", file("right", "s3cret")});
    EXPECT_EQ(done.status, 0) << done.errors;
}

TEST_F(server_flags, name_several_servers_of_which_one_is_the_master) {
    replica_set servers(1);
    auto const place = [&](std::size_t which) { return "127.0.0.1:" + std::to_string(servers.port(which)); };
    auto const done = run(script("echo run", {"--server", "redis-replicated://" + place(1) + "," + place(0)}));
    EXPECT_EQ(done.status, 0) << done.errors;
    EXPECT_EQ(done.output, "run\n");
    EXPECT_GT(command_counts(servers[0])["publish"], 0U) << "the lock was released there";
}

} // namespace
} // namespace redlatch::test
