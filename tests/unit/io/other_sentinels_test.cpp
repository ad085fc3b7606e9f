// What a client learns from other Sentinels than the one that it listens to.
#include "io/reactor.hpp"
#include "io/scripted_server.hpp"
#include "io/sentinel_locator.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using test::wait_until;

/// Answers on a thread of its own, one connection after the other.
class scripted_sentinel {
public:
    scripted_server server;
    std::atomic<int> failovers{0};    ///< it has heard of; the master is at the port `first_port` and so many
    std::atomic<bool> numbered{true}; ///< it tells the number of the last failover
    std::atomic<int> knows{0};        ///< the port of another one that it tells of; 0: of none
    std::atomic<int> asked{0};
    std::atomic<int> listeners{0}; ///< that have come so far

    static constexpr int first_port = 7'000;

    ~scripted_sentinel() {
        ending_ = true;
        unique_fd const last(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); // who waits for somebody goes on
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_port = htons(server.where().port);
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::connect(last.get(), reinterpret_cast<sockaddr*>(&here), sizeof here);
        ::shutdown(last.get(), SHUT_RDWR);
        thread_.join();
    }
    void begin() {
        thread_ = std::thread([this] {
            while (!ending_) {
                server.accept();
                for (auto command = server.read_command(); command != "end of stream"; command = server.read_command())
                    if (!server.try_to_say(answer_to(command))) break;
            }
        });
    }
    std::string place() const { return "127.0.0.1:" + std::to_string(server.where().port); }

private:
    static std::string bulk(std::string const& text) {
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }
    std::string answer_to(std::string const& command) {
        if (command.starts_with("SENTINEL GET-MASTER")) {
            said_ = failovers;
            return "*2\r\n" + bulk("127.0.0.1") + bulk(std::to_string(first_port + said_));
        }
        if (command.starts_with("SENTINEL MASTER"))
            return numbered ? "*2\r\n" + bulk("config-epoch") + bulk(std::to_string(said_ + 1)) : "*0\r\n";
        if (command.starts_with("SENTINEL SENTINELS")) {
            ++asked;
            if (knows == 0) return "*0\r\n";
            return "*1\r\n*4\r\n" + bulk("ip") + bulk("127.0.0.1") + bulk("port") + bulk(std::to_string(knows));
        }
        if (command.starts_with("SUBSCRIBE")) ++listeners;
        if (command.ends_with("SUBSCRIBE +switch-master"))
            return "*3\r\n" + bulk("subscribe") + bulk("+switch-master") + ":1\r\n";
        return "+OK\r\n";
    }

    std::thread thread_;
    std::atomic<bool> ending_{false};
    int said_ = 0;
};

class other_sentinels_test : public ::testing::Test {
protected:
    scripted_sentinel watched;
    scripted_sentinel other;
    std::shared_ptr<reactor> loop = std::make_shared<reactor>();
    std::shared_ptr<sentinel_locator> all;
    std::atomic<int> master{0};

    ~other_sentinels_test() override {
        if (all) all->close();
        loop->stop();
    }
    void begin() { begin(watched.place() + "," + other.place(), true); }
    void begin(std::string const& named, bool discover) {
        watched.begin();
        other.begin();
        config settings;
        settings.address = "redis-sentinel://" + named + "/0#orders";
        settings.topology.scan_interval = 20ms;
        settings.topology.discover_sentinels = discover;
        all = std::make_shared<sentinel_locator>(settings, resolve_servers(settings), "test");
        loop->start();
        all->watch(loop, [this](endpoint const& there, std::string const&, bool) { master = there.port; });
        ASSERT_TRUE(wait_until([&] { return master == scripted_sentinel::first_port; }));
    }
};

TEST_F(other_sentinels_test, one_that_knows_of_a_later_failover_is_followed_and_listened_to) {
    begin();
    ASSERT_EQ(other.listeners, 0);
    other.failovers = 1; // the one that is listened to was cut off together with the old master
    EXPECT_TRUE(wait_until([&] { return master == scripted_sentinel::first_port + 1; }));
    EXPECT_TRUE(wait_until([&] { return other.listeners > 0; }));
    auto const before = other.asked.load();
    EXPECT_TRUE(wait_until([&] { return other.asked > before + 2 && watched.asked > 0; }));
    EXPECT_EQ(master, scripted_sentinel::first_port + 1) << "what is known is not forgotten again";
}

TEST_F(other_sentinels_test, one_that_does_not_tell_which_failover_it_has_heard_of_is_not) {
    other.numbered = false;
    other.failovers = 1;
    begin();
    EXPECT_TRUE(wait_until([&] { return other.asked >= 3; }));
    EXPECT_EQ(master, scripted_sentinel::first_port) << "they would take turns";
    EXPECT_EQ(other.listeners, 0);
}

TEST_F(other_sentinels_test, one_that_is_only_told_of_is_asked) {
    watched.knows = other.server.where().port;
    begin(watched.place(), true);
    EXPECT_TRUE(wait_until([&] { return other.asked > 0; }));
}

TEST_F(other_sentinels_test, one_that_is_only_told_of_is_not_asked_where_none_is_to_be_found) {
    watched.knows = other.server.where().port;
    begin(watched.place(), false);
    ASSERT_FALSE(all->knows_several());
    ASSERT_TRUE(all->sentinels()) << "an answer has come, with the other one in it";
    EXPECT_FALSE(all->another_than(all->first_sentinel().where));
    EXPECT_EQ(other.asked, 0);
}

} // namespace
} // namespace redlatch::io
