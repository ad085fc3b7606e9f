// A process that gives up while the server stands still, and ends: what its request takes later is given back, also where the
// server does not know the script that does so, and nobody is left to send its text.
#include "behaviour/kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace redlatch::test {
namespace {

class abandoned_wait : public with_server {
protected:
    static config patient(std::string address) {
        auto settings = quick(std::move(address));
        settings.timeout = 5s; // a connection that is silent for as long is lost
        return settings;
    }
    std::optional<client> user = client(patient(server.uri()));

    /// `wait` ends, and the process, while the server stands still; then it reads what the process has sent.
    template <class Wait> void give_up(Wait wait) {
        server.pause();
        EXPECT_NE(outcome_of(wait).reason, errc{});
        user.reset();
        server.resume();
        EXPECT_TRUE(wait_until([&] { return connections() == 1; }));
    }

private:
    std::ptrdiff_t connections() const {
        auto const lines = server.run("CLIENT", "LIST").text;
        return std::count(lines.begin(), lines.end(), '\n');
    }
};

class of_each_kind : public abandoned_wait, public ::testing::WithParamInterface<lock_kind> {
protected:
    /// Somebody else has it. Of the scripts of its kind the server knows the one that acquires, and no other.
    any_lock held_lock() {
        server.run("SCRIPT", "FLUSH");
        GetParam().hold_as_stranger(server, name, 60s, "00000000-0000-4000-8000-000000000000:1");
        auto lock = GetParam().get(*user, name);
        EXPECT_FALSE(lock.try_acquire());
        return lock;
    }
    bool has_queue() const { return exists("redisson_lock_queue:{" + name + "}"); }
};
INSTANTIATE_TEST_SUITE_P(abandoned_wait, of_each_kind, ::testing::ValuesIn(lock_kinds),
                         [](auto const& about) { return std::string(about.param.name); });

TEST_P(of_each_kind, leaves_no_hold_and_no_place_in_a_queue) {
    auto lock = held_lock();
    server.run("DEL", name);
    give_up([&] { (void)lock.acquire({.wait = 300ms}); });
    EXPECT_TRUE(wait_until([&] { return !exists(name); })) << server.run("INFO", "commandstats").text;
    EXPECT_FALSE(has_queue());
}

TEST_P(of_each_kind, behind_a_holder_leaves_no_place_in_a_queue) {
    auto lock = held_lock();
    give_up([&] { (void)lock.acquire({.wait = 300ms}); });
    EXPECT_TRUE(wait_until([&] { return !has_queue(); }));
    server.run("DEL", name);
}

TEST_F(abandoned_wait, leaves_no_permit_taken) {
    auto semaphore = user->get_semaphore(name, {.exactly_once = true});
    semaphore.try_set_permits(3);
    semaphore.acquire();
    semaphore.release();
    give_up([&] { (void)semaphore.acquire({.wait = 300ms}); });
    EXPECT_TRUE(wait_until([&] { return server.run("GET", name).text == "3"; }));
}

TEST_F(abandoned_wait, leaves_no_permit_with_an_id_taken) {
    auto semaphore = user->get_permit_semaphore(name, {.exactly_once = true});
    semaphore.try_set_permits(3);
    auto const first = semaphore.acquire().detach();
    give_up([&] { (void)semaphore.acquire({.wait = 300ms}); });
    EXPECT_TRUE(wait_until([&] { return server.run("GET", name).text == "2"; }));
}

} // namespace
} // namespace redlatch::test
