// Connecting to a server by its name, which is looked up anew for each connection: the server may have moved.
//
// getaddrinfo is replaced for the names that a test announces, so that no name server is asked.
#include "io/call_lane.hpp"
#include "io/scripted_server.hpp"
#include "resp/command.hpp"

#include <atomic>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <map>
#include <mutex>
#include <netdb.h>
#include <string>
#include <thread>

namespace redlatch::io {
namespace {

std::mutex names_mutex;
std::map<std::string, std::string> announced; // guarded by names_mutex: name to number
std::atomic<int> lookups{0};
std::atomic<std::chrono::milliseconds::rep> lookup_ms{0}; ///< how long the system takes

void announce(std::string const& name, std::string const& number) {
    std::lock_guard const guard(names_mutex);
    announced[name] = number;
}

/// The number of a name that was announced, else what it was asked for.
std::string number_of(char const* name) {
    std::string number;
    {
        std::lock_guard const guard(names_mutex);
        auto const found = announced.find(name);
        if (found == announced.end()) return name;
        number = found->second;
    }
    ++lookups;
    // sleeps because it stands for a slow name server
    std::this_thread::sleep_for(std::chrono::milliseconds(lookup_ms));
    return number;
}

} // namespace
} // namespace redlatch::io

extern "C" int getaddrinfo(char const* name, char const* service, addrinfo const* hints, addrinfo** found) {
    using function = decltype(&::getaddrinfo);
    static auto const real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (name == nullptr) return real(name, service, hints, found);
    bool const must_be_a_number = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
    return real(must_be_a_number ? name : redlatch::io::number_of(name).c_str(), service, hints, found);
}

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class host_name_test : public ::testing::Test {
protected:
    scripted_server server;
    std::shared_ptr<reactor> loop = std::make_shared<reactor>();
    std::unique_ptr<call_lane> calls;
    std::atomic<int> connected{0};

    void connect_to(std::string const& name, base::milliseconds time = test::patience) {
        lane::settings how;
        how.where = server.where();
        how.where.host_or_path = name;
        how.words.identify = false;
        how.longest_pause = 10ms;
        how.ping_interval = 0ms;
        lane::hooks hooks;
        hooks.connected = [this](connection::identity const&) { ++connected; };
        calls = std::make_unique<call_lane>(loop, how, hooks);
        std::thread greeter([&] { greet(server); });
        errc reason{};
        std::string problem;
        auto until = lease_clock::now() + time;
        EXPECT_TRUE(calls->line().connect_now(until, reason, problem)) << problem;
        greeter.join();
    }
    static void greet(scripted_server& by) {
        by.accept();
        EXPECT_EQ(by.read_command(), "PING");
        by.say("+PONG\r\n");
    }
    /// One call, answered by this server.
    void expect_served_by(scripted_server& which) const {
        auto const one = connection::make_call();
        one->bytes = resp::command("A");
        one->waker = parker::of_this_thread().as_waker();
        calls->submit(one, true);
        EXPECT_EQ(which.read_command(), "A");
        which.say("+done\r\n");
        EXPECT_TRUE(calls->line().wait(
            parker::of_this_thread(), [&] { return one->finished(); }, lease_clock::now() + test::patience));
    }
    void TearDown() override {
        calls->line().close();
        loop->stop();
    }
};

TEST_F(host_name_test, of_this_machine_leads_to_its_server_again_and_again) {
    connect_to("localhost");
    expect_served_by(server);
    for (int round = 2; round <= 3; ++round) {
        calls->line().reconnect("test");
        greet(server);
        ASSERT_TRUE(test::wait_until([&] { return connected == round; }));
        expect_served_by(server);
    }
}

TEST_F(host_name_test, is_looked_up_anew_when_the_server_has_moved) {
    announce("moving.test", "127.0.0.1");
    connect_to("moving.test");
    expect_served_by(server);
    scripted_server elsewhere("127.0.0.2", server.where().port);
    announce("moving.test", "127.0.0.2");
    calls->line().reconnect("test");
    greet(elsewhere);
    ASSERT_TRUE(test::wait_until([&] { return connected == 2; }));
    expect_served_by(elsewhere);
}

TEST_F(host_name_test, is_looked_up_at_the_cost_of_nobody_however_long_that_takes) {
    announce("slow.test", "127.0.0.1");
    lookup_ms = 1'000;
    connect_to("slow.test", 900ms);
    lookup_ms = 0;
    expect_served_by(server);
}

TEST_F(host_name_test, that_is_not_found_takes_its_time_from_nobody) {
    connect_to("localhost");
    announce("unknown.test", "no such name");
    lane::settings how;
    how.where = server.where();
    how.where.host_or_path = "unknown.test";
    call_lane unknown(loop, how, {});
    lookup_ms = 300;
    auto until = lease_clock::now() + 100ms;
    auto const before = until;
    errc reason{};
    std::string problem;
    EXPECT_FALSE(unknown.line().connect_now(until, reason, problem));
    lookup_ms = 0;
    EXPECT_THAT(problem, HasSubstr("cannot be resolved"));
    EXPECT_GE(until - before, 300ms) << "the next server has as much time as it had";
    unknown.line().close();
}

TEST_F(host_name_test, is_looked_up_until_it_is_known_again) {
    announce("forgotten.test", "127.0.0.1");
    connect_to("forgotten.test");
    announce("forgotten.test", "no such name"); // no host name: nobody is asked
    calls->line().reconnect("test");
    ASSERT_TRUE(
        test::wait_until([&] { return calls->line().trouble().find("cannot be resolved") != std::string::npos; }));
    auto const so_far = lookups.load();
    ASSERT_TRUE(test::wait_until([&] { return lookups > so_far + 1; })) << "it goes on trying";
    announce("forgotten.test", "127.0.0.1");
    greet(server);
    ASSERT_TRUE(test::wait_until([&] { return connected == 2; }));
    expect_served_by(server);
    EXPECT_EQ(calls->line().trouble(), "");
}

} // namespace
} // namespace redlatch::io
