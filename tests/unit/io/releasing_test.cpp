// A release against a server that the test plays by hand.
#include "io/acquisition.hpp"
#include "io/releasing.hpp"
#include "io/scripted_server.hpp"
#include "locking/recipes/recipes.hpp"
#include "support/wait_until.hpp"

#include <redlatch/config.hpp>

#include <gtest/gtest.h>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;

/// Of a lock with a fixed lease: nothing is renewed.
class a_release : public ::testing::Test {
protected:
    static constexpr base::milliseconds lease{400};

    /// What the server sees of an acquisition, and says.
    virtual void let_acquire() {
        EXPECT_TRUE(server.read_command().starts_with("RESTORE "));
        server.say("+OK\r\n");
    }
    virtual command_set commands() const { return command_set::automatic; }

    void SetUp() override {
        std::thread greeter([this] {
            server.accept();
            EXPECT_EQ(server.read_commands(2), (std::vector<std::string>{"CLIENT INFO", "INFO"}));
            server.say(bulk("id=1 addr=127.0.0.1:1\r\n") + bulk("run_id:abc\r\nredis_version:7.0.15\r\n"));
            let_acquire();
        });
        config how;
        how.address = "redis://127.0.0.1:" + std::to_string(server.where().port);
        how.timeout = 60s; // a server that says nothing does not count as gone
        how.close_timeout = 1ms;
        how.commands = commands();
        how.holder_label = ""; // no CLIENT SETNAME
        core = client_core::open(how);
        acquisition::request what;
        what.record = core->locked([](locking::lock_table& table, base::wake_list&) {
            return table.records.get("name", locking::reentrant_recipe);
        });
        what.owner_number = 1;
        what.lease = lease;
        acquisition taken(core, what);
        run_blocking(taken);
        greeter.join();
        ASSERT_EQ(taken.result(), std::error_code()) << taken.message();
        taken.handed_over();
        tenure = taken.tenure();
        level_number = taken.level_number();
    }
    void TearDown() override { core->close(); }
    /// Reads the release and says this.
    void answer(std::string_view bytes) {
        EXPECT_TRUE(server.read_command().starts_with("HDEL "));
        EXPECT_TRUE(server.read_command().starts_with("PUBLISH "));
        server.say(bytes);
    }

    scripted_server server;
    std::shared_ptr<client_core> core;
    locking::tenure_ptr tenure;
    std::uint64_t level_number = 0;
};

TEST_F(a_release, is_done_when_the_message_alone_was_not_answered_in_time) {
    releasing one(core, tenure, level_number);
    std::thread peer([this] { answer(":1\r\n"); });
    run_blocking(one);
    peer.join();
    EXPECT_EQ(one.result(), std::error_code()) << one.message();
    EXPECT_GE(lease_clock::now(), tenure->validity()) << "it waits for as long as the hold was valid";
}

/// Ready means that there is something to do: who says so and does nothing is asked again at once, and again.
TEST_F(a_release, that_pauses_ends_with_its_client) {
    releasing one(core, tenure, level_number, releasing::patience::unlimited);
    std::thread peer([this] { answer("-NOREPLICAS not now\r\n:0\r\n"); });
    auto& me = parker::of_this_thread();
    one.set_waker(me.as_waker());
    while (!one.step() && one.at().where != nullptr)
        one.at().where->wait(
            me, [&] { return one.ready(); }, one.at().until);
    peer.join();
    EXPECT_FALSE(one.ready()) << "it was refused, and pauses";
    core->close();
    for (int steps = 0; steps < 3 && one.ready(); ++steps) one.step();
    EXPECT_TRUE(one.step());
    EXPECT_EQ(one.result(), errc::outcome_unknown);
}

TEST_F(a_release, that_the_server_carries_out_ends_what_is_known_of_its_refusals) {
    releasing one(core, tenure, level_number, releasing::patience::unlimited);
    std::thread peer([this] {
        answer("-NOREPLICAS not now\r\n:0\r\n");
        answer(":1\r\n:0\r\n");
    });
    run_blocking(one);
    peer.join();
    EXPECT_EQ(one.result(), std::error_code()) << one.message();
    EXPECT_EQ(core->any_node().refuses_since(), base::never);
}

class a_release_by_script : public a_release {
protected:
    command_set commands() const override { return command_set::scripts; }
    void let_acquire() override {
        EXPECT_TRUE(server.read_command().starts_with("EVALSHA "));
        server.say("-NOSCRIPT No matching script\r\n");
        EXPECT_TRUE(server.read_command().starts_with("EVAL "));
        server.say("$-1\r\n");
    }
};

TEST_F(a_release_by_script, that_nobody_waits_for_has_the_text_with_it_the_first_time) {
    releasing one(core, tenure, level_number, releasing::patience::unlimited);
    std::thread peer([this] {
        EXPECT_TRUE(server.read_command().starts_with("EVAL "));
        server.say(":1\r\n");
    });
    run_blocking(one);
    peer.join();
    EXPECT_EQ(one.result(), std::error_code()) << one.message();
    EXPECT_TRUE(core->any_node().choice().knows_release_script());
}

TEST_F(a_release_by_script, that_is_waited_for_names_it) {
    releasing one(core, tenure, level_number);
    std::thread peer([this] {
        EXPECT_TRUE(server.read_command().starts_with("EVALSHA "));
        server.say(":1\r\n");
    });
    run_blocking(one);
    peer.join();
    EXPECT_EQ(one.result(), std::error_code()) << one.message();
}

/// Of a renewal, for example: its waker owns what sends it.
TEST_F(a_release_by_script, leaves_nothing_behind_of_a_call_that_nobody_waits_for) {
    core->start();
    for (bool const known : {true, false}) {
        auto kept = std::make_shared<int>(0);
        std::weak_ptr const watched = kept;
        core->send(core->any_node().data(), locking::script_call(locking::scripts::lock_renew, {"name"}, {"1", "me"}),
                   [kept = std::move(kept)](connection::call const&) {});
        EXPECT_TRUE(server.read_command().starts_with("EVALSHA "));
        if (!known) {
            server.say("-NOSCRIPT No matching script\r\n");
            EXPECT_TRUE(server.read_command().starts_with("EVAL "));
        }
        server.say("*0\r\n");
        EXPECT_TRUE(test::wait_until([&] { return watched.expired(); })) << (known ? "by its SHA-1" : "by its text");
    }
}

} // namespace
} // namespace redlatch::io
