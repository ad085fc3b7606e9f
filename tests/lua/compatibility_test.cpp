// Beside Redisson: what our scripts leave is what its steps would have left, and each side understands the other's.
// The steps of its scripts (protocol sections 1.1, 1.5 and 1.6) are played as plain commands; the real client is driven
// by tests/interop.
#include "locking/names.hpp"
#include "locking/recipes/recipes.hpp"
#include "lua/script_test.hpp"

namespace redlatch::test {
namespace {

using namespace locking::scripts;

constexpr auto lease = "100000";

class compatibility : public script_test {
protected:
    // Section 1.1: nil = acquired, else the PTTL of the holder.
    resp::value redisson_acquire(std::string const& name, std::string const& owner) {
        if (command({"EXISTS", name}).integer == 1 && command({"HEXISTS", name, owner}).integer == 0) {
            return command({"PTTL", name});
        }
        command({"HINCRBY", name, owner, "1"});
        command({"PEXPIRE", name, lease});
        return {};
    }

    // Section 1.5 without the latch, which nobody else reads: nil = not the holder, 0 = partly released, 1 = released.
    resp::value redisson_release(std::string const& name, std::string const& owner) {
        if (command({"HEXISTS", name, owner}).integer == 0) return {};
        if (command({"HINCRBY", name, owner, "-1"}).integer > 0) {
            command({"PEXPIRE", name, lease});
            return {.type = resp::value::kind::integer, .integer = 0};
        }
        command({"DEL", name});
        command({"PUBLISH", locking::lock_channel(name), "0"});
        return {.type = resp::value::kind::integer, .integer = 1};
    }

    // Section 1.6.
    resp::value redisson_force_release(std::string const& name) {
        auto const removed = command({"DEL", name});
        if (removed.integer == 1) command({"PUBLISH", locking::lock_channel(name), "0"});
        return removed;
    }

    /// As the library does it: without a script first, if so wished.
    std::string our_acquire(std::string const& name, std::string const& owner) {
        if (plain()) {
            auto const reply = send(locking::reentrant_recipe.plain->acquire(about(name, owner)));
            if (shown(reply) == "+OK") return "nil";
            EXPECT_EQ(shown(reply), "!BUSYKEY");
        }
        return shown(call(lock_acquire, {name}, {lease, owner}));
    }
    std::string our_count(std::string const& name, std::string const& owner, int count) {
        return shown(call(lock_set_count, {name}, {lease, owner, std::to_string(count)}));
    }
    std::string our_release(std::string const& name, std::string const& owner) {
        if (plain()) {
            auto const ended = send(locking::reentrant_recipe.plain->release(about(name, owner)));
            EXPECT_TRUE(admin().receive().is_integer()) << "how many heard the message";
            return shown(ended);
        }
        return shown(call(lock_release, {name}, {owner, "PUBLISH", locking::lock_channel(name)}));
    }
    bool plain() const { return GetParam().ends_with("without scripts"); }
    static locking::call_context about(std::string const& name, std::string const& owner) {
        return {.name = name,
                .channel_prefix = locking::lock_channel_prefix,
                .owner_id = owner,
                .lease = base::milliseconds(std::stoll(lease))};
    }
    resp::value send(locking::wire_call const& what) {
        admin().send(what.bytes);
        return admin().receive();
    }
    std::string our_force_release(std::string const& name) {
        return shown(call(lock_force_release, {name}, {"PUBLISH", locking::lock_channel(name)}));
    }
};
INSTANTIATE_TEST_SUITE_P(on, compatibility,
                         testing::Values("redis-server", "valkey-server", "redis-server without scripts",
                                         "valkey-server without scripts"),
                         [](auto const& about) {
                             auto const program = about.param.substr(0, about.param.find('-'));
                             return program + (about.param.ends_with("scripts") ? "_without_scripts" : "");
                         });

std::string const ours = "71b96ce8-2746-4c9e-9f0e-3b0d0c2a7c11:1";
std::string const java = "0c4e1c55-9f5b-4f0e-8a0e-6f6b7f3d2a10:47";
// Plain, with a hash tag, and with braces that do not match: section 0.2.
std::string const names[] = {"orders", "{t1}:orders", "or{ders", "or}ders"};

TEST_P(compatibility, leaves_what_redisson_would_have_left_at_each_step) {
    for (auto const& name : names) {
        SCOPED_TRACE(name);
        command({"FLUSHALL"});
        listener ear(server());
        std::vector<std::vector<std::string>> expected;
        redisson_acquire(name, ours);
        expected.push_back(state());
        redisson_acquire(name, ours);
        expected.push_back(state());
        redisson_release(name, ours);
        expected.push_back(state());
        redisson_release(name, ours);
        expected.push_back(state());
        redisson_acquire(name, java);
        redisson_force_release(name);
        auto const told = ear.heard();
        ASSERT_EQ(told.size(), 2u);
        ASSERT_EQ(expected[1], std::vector{name + " {" + ours + "=2} 100s"});

        EXPECT_EQ(our_acquire(name, ours), "nil");
        EXPECT_EQ(state(), expected[0]);
        EXPECT_EQ(our_count(name, ours, 2), "1");
        EXPECT_EQ(state(), expected[1]);
        EXPECT_EQ(our_count(name, ours, 1), "1");
        EXPECT_EQ(state(), expected[2]);
        EXPECT_EQ(our_release(name, ours), plain() ? "1" : "2") << "the listener here is counted";
        EXPECT_EQ(state(), expected[3]);
        our_acquire(name, java);
        EXPECT_EQ(our_force_release(name), "1");
        EXPECT_EQ(ear.heard(), told);
    }
}

TEST_P(compatibility, publishes_on_the_channels_that_java_waits_on) {
    listener ear(server());
    for (auto const& name : names) {
        our_acquire(name, ours);
        our_release(name, ours);
    }
    EXPECT_EQ(ear.heard(),
              (std::vector<std::string>{"redisson_lock__channel:{orders} 0", "redisson_lock__channel:{t1}:orders 0",
                                        "redisson_lock__channel:or{ders 0", "redisson_lock__channel:{or}ders} 0"}));
}

TEST_P(compatibility, excludes_a_java_client_while_we_hold) {
    our_acquire("orders", ours);
    EXPECT_EQ(shown(redisson_acquire("orders", java)), "100s");
    EXPECT_EQ(shown(redisson_release("orders", java)), "nil");
    EXPECT_EQ(state(), std::vector{"orders {" + ours + "=1} 100s"});
    our_release("orders", ours);
    EXPECT_EQ(shown(redisson_acquire("orders", java)), "nil");
}

TEST_P(compatibility, is_excluded_while_a_java_client_holds) {
    redisson_acquire("orders", java);
    redisson_acquire("orders", java);
    EXPECT_EQ(our_acquire("orders", ours), "100s");
    EXPECT_EQ(our_count("orders", ours, 2), "0");
    EXPECT_EQ(our_release("orders", ours), "0");
    EXPECT_EQ(shown(call(lock_renew, {"orders"}, {lease, ours})), "[1]");
    EXPECT_EQ(state(), std::vector{"orders {" + java + "=2} 100s"});
    redisson_release("orders", java);
    EXPECT_EQ(our_acquire("orders", ours), "100s");
    redisson_release("orders", java);
    EXPECT_EQ(our_acquire("orders", ours), "nil");
}

TEST_P(compatibility, notices_a_java_client_that_ends_our_hold_by_force) {
    our_acquire("orders", ours);
    EXPECT_EQ(shown(redisson_force_release("orders")), "1");
    EXPECT_EQ(our_count("orders", ours, 2), "0");
    EXPECT_EQ(shown(call(lock_renew, {"orders"}, {lease, ours})), "[1]");
    EXPECT_EQ(our_release("orders", ours), "0");
}

TEST_P(compatibility, ends_the_hold_of_a_java_client_by_force) {
    redisson_acquire("orders", java);
    redisson_acquire("orders", java);
    EXPECT_EQ(our_force_release("orders"), "1");
    EXPECT_EQ(shown(redisson_release("orders", java)), "nil");
}

TEST_P(compatibility, answers_what_java_asks_about_our_hold) {
    our_acquire("orders", ours);
    our_count("orders", ours, 3);
    EXPECT_EQ(shown(command({"EXISTS", "orders"})), "1");
    EXPECT_EQ(shown(command({"TYPE", "orders"})), "+hash");
    EXPECT_EQ(shown(command({"HLEN", "orders"})), "1");
    EXPECT_EQ(shown(command({"HEXISTS", "orders", ours})), "1");
    EXPECT_EQ(shown(command({"HGET", "orders", ours})), "\"3\"");
    EXPECT_EQ(shown(command({"PTTL", "orders"})), "100s");
}

} // namespace
} // namespace redlatch::test
