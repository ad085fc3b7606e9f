// Ours and Redisson on a server with TLS, which both reach by the same file of Redisson's, with a trust store made by keytool.
#include "interop_test.hpp"
#include "support/lock_helpers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tls_server.hpp"

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

class tls_with_java : public interop_test {
protected:
    void SetUp() override {
        interop_test::SetUp();
        if (IsSkipped() || HasFailure()) return;
        if (!test_server_has_tls()) GTEST_SKIP() << "this server was built without TLS";
        encrypted = std::make_unique<tls_server>();
        auto const store = (folder.path() / "trust.p12").string();
        child_process keytool(
            {.arguments = {"keytool", "-importcert", "-noprompt", "-alias", "authority", "-file", encrypted->ca_file(),
                           "-keystore", store, "-storetype", "PKCS12", "-storepass", "changeit"}});
        ASSERT_EQ(keytool.wait(1min), 0) << keytool.error_text();
        auto const text = "sslTruststore: \"file:" + store + "\"\nsslTruststorePassword: \"changeit\"\n"
                          + "singleServerConfig:\n  address: \"" + encrypted->uri() + "\"\n";
        settings = config::from_yaml(text);
        java_settings = "file:" + write_file(folder.path() / "redisson.yaml", text);
    }

    bool somebody_listens() const {
        return encrypted->server().run("PUBSUB", "NUMSUB", channel_of(name)).items.at(1).integer > 0;
    }
    std::uint64_t script_calls() const {
        auto counts = command_counts(encrypted->server());
        return counts["eval"] + counts["evalsha"];
    }

    temporary_folder folder;
    std::unique_ptr<tls_server> encrypted;
    config settings;
    std::string java_settings;
};

TEST_F(tls_with_java, both_keep_each_other_out_and_wake_each_other) {
    settings.watched_holds = 0; // who listens while it holds is Java
    client user(as_variant(settings));
    java_peer other_side{built_peer().folder, java_settings, 30s};
    auto held = user.get_lock(name).acquire({.wait = patience, .owner = owner()});
    EXPECT_FALSE(other_side.yes("a", "tryLock", {name}));
    auto const before = script_calls();
    auto const waits = other_side.start("a", "lock", {name});
    ASSERT_TRUE(wait_until([&] { return script_calls() >= before + 2 && somebody_listens(); }))
        << "Java did not begin to wait";
    EXPECT_FALSE(other_side.reply_if_any(waits, 30ms)) << "Java took a lock that C++ holds";
    held.release();
    auto const end = other_side.end_of(waits); // long before the lease of 30 s is over
    EXPECT_TRUE(end.ok) << end.value;

    EXPECT_FALSE(user.get_lock(name).try_acquire({.owner = owner()}));
    auto waiter = std::async(std::launch::async,
                             [&] { return user.get_lock(name).acquire({.wait = patience, .owner = owner()}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 1 && user.stats().subscriptions == 1; }));
    EXPECT_EQ(waiter.wait_for(30ms), std::future_status::timeout) << "C++ took a lock that Java holds";
    other_side.value("a", "unlock", {name});
    EXPECT_EQ(waiter.get().status(), hold_status::held);
}

} // namespace
} // namespace redlatch::test
