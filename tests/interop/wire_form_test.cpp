// What is left in Redis after each step: the same, whether Java or C++ took it.
#include "interop_test.hpp"

#include <algorithm>
#include <functional>
#include <regex>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct side {
    std::function<void()> lock;
    std::function<void()> unlock;
};

/// A lock as anybody can see it, owners written as OWNER: "hash OWNER=2 ttl=renewed".
std::string seen(redis_server const& server, std::string const& name) {
    static std::regex const owner_form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:[0-9]+");
    std::string text = server.run("TYPE", name).text;
    if (text == "none") return text;
    auto const fields = server.run("HGETALL", name).items;
    for (std::size_t at = 0; at + 1 < fields.size(); at += 2) {
        bool const usual = std::regex_match(fields[at].text, owner_form);
        text += " " + (usual ? std::string("OWNER") : fields[at].text) + "=" + fields[at + 1].text;
    }
    // The watchdog's lease, just written.
    auto const left = server.run("PTTL", name).integer;
    return text + (left > 20'000 && left <= 30'000 ? " ttl=watchdog" : " ttl=" + std::to_string(left));
}

std::vector<std::string> messages_so_far(raw_client& subscriber) {
    std::vector<std::string> result;
    while (auto const message = subscriber.receive_if_any(200ms)) {
        std::string text;
        for (auto const& item : message->items) text += (text.empty() ? "" : " ") + item.text;
        result.push_back(text);
    }
    return result;
}

/// Lock, lock again, unlock, unlock: what is seen after each step, then the messages.
std::vector<std::string> trace(redis_server const& server, std::string const& channel, std::string const& name,
                               side const& actor) {
    raw_client subscriber = server.admin();
    subscriber.command("SUBSCRIBE", channel);
    std::vector<std::string> result;
    for (auto const& step : {actor.lock, actor.lock, actor.unlock, actor.unlock}) {
        step();
        result.push_back(seen(server, name));
    }
    for (auto& message : messages_so_far(subscriber)) result.push_back(std::move(message));
    return result;
}

struct wire_form : interop_test, ::testing::WithParamInterface<char const*> {
    void SetUp() override {
        interop_test::SetUp();
        server().run("FLUSHALL"); // Other tests leave what Redisson leaves for ever: a fenced lock's counter.
    }
};

TEST_P(wire_form, is_the_same_whoever_locks) {
    std::string const lock_name = GetParam();
    auto lock = cpp.get_lock(lock_name);
    auto const by_cpp =
        trace(server(), channel_of(lock_name), lock_name, {[&] { lock.lock(); }, [&] { lock.unlock(); }});
    auto const by_java =
        trace(server(), channel_of(lock_name), lock_name,
              {[&] { java().value("a", "lock", {lock_name}); }, [&] { java().value("a", "unlock", {lock_name}); }});
    EXPECT_EQ(by_cpp, by_java);
    std::vector<std::string> const expected{"hash OWNER=1 ttl=watchdog", "hash OWNER=2 ttl=watchdog",
                                            "hash OWNER=1 ttl=watchdog", "none",
                                            "message " + channel_of(lock_name) + " 0"};
    EXPECT_EQ(by_cpp, expected);
    // Java deletes its latch key without waiting for it.
    EXPECT_TRUE(wait_until([&] { return server().run("DBSIZE").integer == 0; })) << "something was left in Redis";
}

TEST_P(wire_form, lets_each_side_see_and_wake_the_other) {
    std::string const lock_name = GetParam();
    auto lock = cpp.get_lock(lock_name);
    hold held = lock.acquire({.lease = 20s});
    EXPECT_TRUE(java().yes("a", "isLocked", {lock_name}));
    auto const left = java().number("a", "ttl", {lock_name});
    EXPECT_GT(left, 10'000);
    EXPECT_LE(left, 20'000);
    EXPECT_EQ(java().number("a", "holdCount", {lock_name}), 0);
    auto const waits = java_waits("a", lock_name);
    held.release();
    EXPECT_TRUE(java().end_of(waits, 10s).ok);

    auto const info = lock.inspect();
    EXPECT_TRUE(info.held);
    EXPECT_EQ(info.owners.at(0).client, java().value("main", "id"));
    auto cpp_waiter = cpp_waits(cpp, lock_name);
    java().value("a", "unlock", {lock_name});
    EXPECT_EQ(cpp_waiter->acquired_at.wait_for(10s), std::future_status::ready);
    cpp_waiter->release.set_value();
    cpp_waiter->thread.join();
    EXPECT_FALSE(java().yes("a", "isLocked", {lock_name}));
}

INSTANTIATE_TEST_SUITE_P(names, wire_form,
                         ::testing::Values("orders", "{t1}:orders", "orders:{t1}", "a{b", "x}y", "{}", "with space",
                                           "Bücher/Größe", "注文🔒", "line\nfeed", "%41+percent", "\"quoted\" 'name'"));

TEST_F(wire_form, lease_given_by_either_side_is_what_the_other_reads) {
    hold held = cpp.get_lock(name).acquire({.lease = 70s});
    auto left = java().number("a", "ttl", {name});
    EXPECT_GT(left, 50'000);
    EXPECT_LE(left, 70'000);
    held.release();

    java().value("a", "lock", {name, "90000"});
    left = cpp.get_lock(name).remaining_lease().value_or(0ms).count();
    EXPECT_GT(left, 70'000);
    EXPECT_LE(left, 90'000);
    java().value("a", "unlock", {name});
    EXPECT_EQ(java().number("a", "ttl", {name}), -2);
    EXPECT_EQ(cpp.get_lock(name).remaining_lease(), std::nullopt);
}

} // namespace
} // namespace redlatch::test
