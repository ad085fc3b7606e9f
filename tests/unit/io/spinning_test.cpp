// Who waits for a lock without messages, against a server that the test plays by hand: how long its pauses are.
#include "io/acquisition.hpp"
#include "io/scripted_server.hpp"
#include "locking/recipes/recipes.hpp"

#include <redlatch/config.hpp>

#include <gtest/gtest.h>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;

class who_spins : public ::testing::Test {
protected:
    void SetUp() override {
        std::thread greeter([this] {
            server.accept();
            EXPECT_EQ(server.read_commands(2), (std::vector<std::string>{"CLIENT INFO", "INFO"}));
            server.say(bulk("id=1 addr=127.0.0.1:1\r\n") + bulk("run_id:abc\r\nredis_version:7.0.15\r\n"));
        });
        config how;
        how.address = "redis://127.0.0.1:" + std::to_string(server.where().port);
        how.timeout = 60s; // a server that says nothing does not count as gone
        how.close_timeout = 1ms;
        how.commands = command_set::scripts;
        how.holder_label = ""; // no CLIENT SETNAME
        core = client_core::open(how);
        greeter.join();
    }
    void TearDown() override { core->close(); }

    acquisition::request order(std::string const& name, locking::retry_backoff const& policy) const {
        acquisition::request what;
        what.record = core->locked([&](locking::lock_table& table, base::wake_list&) {
            return table.records.get(name, locking::spin_recipe);
        });
        what.owner_number = 1;
        what.backoff = policy;
        return what;
    }
    /// How long it pauses once it has been told that somebody else has the lock.
    base::nanoseconds pause_of(acquisition& one) {
        std::thread peer([this] {
            auto const asked = server.read_command();
            EXPECT_TRUE(asked.starts_with("EVAL")) << asked;
            if (asked.starts_with("EVALSHA ") && !knows_the_script) {
                server.say("-NOSCRIPT No matching script\r\n");
                EXPECT_TRUE(server.read_command().starts_with("EVAL "));
                knows_the_script = true;
            }
            server.say(":30000\r\n");
        });
        auto& me = parker::of_this_thread();
        one.set_waker(me.as_waker());
        auto const began = lease_clock::now();
        do {
            EXPECT_FALSE(one.step());
            if (one.at().where == nullptr) break;
            one.at().where->wait(
                me, [&] { return one.ready(); }, one.at().until);
        } while (true);
        peer.join();
        return one.at().until - began;
    }

    scripted_server server;
    std::shared_ptr<client_core> core;
    bool knows_the_script = false;
};

TEST_F(who_spins, pauses_as_the_policy_of_its_handle_says) {
    acquisition one(core, order("name", {1h, 1h, 1}));
    EXPECT_GE(pause_of(one), 1h);
}

TEST_F(who_spins, goes_on_at_once_where_another_one_of_its_process_releases) {
    auto const what = order("name", {1h, 1h, 1});
    acquisition one(core, what);
    pause_of(one);
    EXPECT_FALSE(one.ready());
    core->locked([&](locking::lock_table&, base::wake_list& woken) { what.record->queue.tell_head(woken); });
    EXPECT_TRUE(one.ready());
    EXPECT_GE(pause_of(one), 1h) << "it has asked again";
}

/// Many that were refused at the same time would all come back at the same time.
TEST_F(who_spins, draws_its_pauses_by_itself) {
    constexpr auto at_random = 1'000'000'000; // ms
    locking::retry_backoff const policy{1ms, 1'000'000h, at_random};
    acquisition one(core, order("name", policy));
    acquisition other(core, order("other name", policy));
    auto const second_pause_of = [&](acquisition& of) {
        auto const first = pause_of(of);
        EXPECT_LT(first, 60s);
        // sleeps because nothing else ends the pause
        std::this_thread::sleep_until(of.at().until);
        return pause_of(of);
    };
    auto const difference = second_pause_of(one) - second_pause_of(other);
    EXPECT_GT(difference < 0s ? -difference : difference, 5s);
}

} // namespace
} // namespace redlatch::io
