// A server that executes no writes, as the operations of a client see it.
#include "io/write_gate.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using scripted::at;

/// For one that does not wait.
base::instant next_write(write_gate& gate, base::instant now) {
    write_gate::waiter nobody;
    return gate.next_write(now, nobody, {});
}

struct sleeper final : base::wakeable {
    int woken = 0;
    void wake() noexcept override { ++woken; }
};

TEST(write_gate, lets_writes_through_while_the_server_executes_them) {
    write_gate gate(1s, 1);
    EXPECT_EQ(next_write(gate, at(0ms)), at(0ms));
    EXPECT_EQ(gate.refuses_since(), base::never);
    EXPECT_FALSE(gate.on_written(at(0ms), true)) << "there is nothing to be over";
    EXPECT_FALSE(gate.on_executed(at(0ms)));
}

TEST(write_gate, holds_writes_back_from_a_refusal_until_one_succeeds) {
    write_gate gate(1s, 1);
    auto const first = gate.on_refused("OOM command not allowed", at(0ms), at(1ms));
    EXPECT_TRUE(first.begins);
    EXPECT_GT(first.again, at(1ms));
    EXPECT_FALSE(gate.on_refused("OOM command not allowed", at(0ms), at(2ms)).begins) << "known";
    EXPECT_EQ(gate.refuses_since(), at(1ms));
    EXPECT_EQ(gate.last_refusal(), "OOM command not allowed");
    EXPECT_GT(next_write(gate, at(3ms)), at(3ms));
    EXPECT_FALSE(gate.on_executed(at(3ms))) << "a server without memory executes what needs none";
    EXPECT_TRUE(gate.on_written(at(4ms), true));
    EXPECT_EQ(next_write(gate, at(5ms)), at(5ms));
    EXPECT_EQ(gate.refuses_since(), base::never);
    EXPECT_TRUE(gate.on_refused("OOM command not allowed", at(6ms), at(7ms)).begins) << "anew";
}

TEST(write_gate, opens_with_whatever_a_loading_server_executes) {
    write_gate gate(1s, 1);
    gate.on_refused("LOADING Redis is loading the dataset in memory", at(0ms), at(1ms));
    EXPECT_TRUE(gate.on_executed(at(2ms)));
    EXPECT_EQ(next_write(gate, at(3ms)), at(3ms));
}

TEST(write_gate, lets_one_try_on_a_new_connection) {
    write_gate gate(1s, 1);
    gate.on_refused("OOM command not allowed", at(0ms), at(1ms));
    gate.on_connected();
    EXPECT_LE(next_write(gate, at(2ms)), at(2ms));
    EXPECT_GT(next_write(gate, at(3ms)), at(3ms)) << "that one tries for all";
}

TEST(write_gate, tells_who_waits_when_a_write_succeeds) {
    write_gate gate(1s, 1);
    auto const refused = std::make_shared<sleeper>();
    auto const held_up = std::make_shared<sleeper>();
    write_gate::waiter first;
    write_gate::waiter second;
    gate.on_refused("OOM command not allowed", at(0ms), at(1ms), &first, refused);
    EXPECT_GT(gate.next_write(at(2ms), second, held_up), at(2ms));
    EXPECT_FALSE(gate.on_written(at(3ms), false)) << "it needs no memory";
    EXPECT_FALSE(first.told() || second.told());
    EXPECT_TRUE(gate.on_written(at(4ms), true));
    EXPECT_TRUE(first.told() && second.told());
    EXPECT_EQ(refused->woken, 1);
    EXPECT_EQ(held_up->woken, 1);
}

TEST(write_gate, tells_who_waits_when_a_server_has_loaded_its_data) {
    write_gate gate(1s, 1);
    auto const who = std::make_shared<sleeper>();
    write_gate::waiter waits;
    gate.on_refused("LOADING Redis is loading the dataset in memory", at(0ms), at(1ms), &waits, who);
    EXPECT_TRUE(gate.on_executed(at(2ms)));
    EXPECT_TRUE(waits.told());
    EXPECT_EQ(who->woken, 1);
}

TEST(write_gate, does_not_tell_who_has_left_or_never_waited) {
    write_gate gate(1s, 1);
    auto const who = std::make_shared<sleeper>();
    write_gate::waiter stays;
    write_gate::waiter tries;
    gate.on_refused("OOM command not allowed", at(0ms), at(1ms), &stays, who);
    {
        write_gate::waiter ends;
        write_gate::waiter leaves;
        EXPECT_GT(gate.next_write(at(2ms), ends, who), at(2ms));
        EXPECT_GT(gate.next_write(at(2ms), leaves, who), at(2ms));
        leaves.leave();
    }
    gate.on_connected();
    EXPECT_LE(gate.next_write(at(3ms), tries, who), at(3ms));
    EXPECT_TRUE(gate.on_written(at(4ms), true));
    EXPECT_EQ(who->woken, 1);
    EXPECT_TRUE(stays.told());
    EXPECT_FALSE(tries.told());
    stays.leave();
    EXPECT_FALSE(stays.told()) << "it may wait again";
}

/// What is refused for a reason of its own would else be asked for again with each write of others that succeeds.
TEST(write_gate, cuts_no_pause_short_of_one_that_was_told_in_vain) {
    write_gate gate(1s, 1);
    auto const who = std::make_shared<sleeper>();
    write_gate::waiter waits;
    std::vector<bool> told;
    for (int i = 0; i < 4; ++i) {
        gate.on_refused("CLUSTERDOWN Hash slot not served", at(i * 10ms), at(i * 10ms + 1ms), &waits, who);
        EXPECT_TRUE(gate.on_written(at(i * 10ms + 2ms), true));
        told.push_back(waits.told());
        waits.leave();
    }
    EXPECT_EQ(told, (std::vector<bool>{true, false, true, false}));
}

TEST(write_gate, stays_open_when_an_older_refusal_comes_to_hand) {
    write_gate gate(1s, 1);
    auto const who = std::make_shared<sleeper>();
    write_gate::waiter waits;
    gate.on_refused("OOM command not allowed", at(0ms), at(1ms));
    EXPECT_TRUE(gate.on_written(at(3ms), true));
    EXPECT_FALSE(gate.on_refused("OOM command not allowed", at(2ms), at(5ms), &waits, who).begins);
    EXPECT_EQ(next_write(gate, at(6ms)), at(6ms));
    EXPECT_EQ(gate.refuses_since(), base::never);
    EXPECT_TRUE(gate.on_refused("OOM command not allowed", at(4ms), at(6ms)).begins) << "a later one";
}

/// As in the child of a fork, where the mutex is the parent's: sanitizers and memcheck see whether it is.
TEST(write_gate, is_not_touched_by_who_forgets_it) {
    write_gate::waiter in_child;
    {
        write_gate of_parent(1s, 1);
        of_parent.on_refused("OOM command not allowed", at(0ms), at(1ms), &in_child, std::make_shared<sleeper>());
        in_child.forget();
    }
    EXPECT_FALSE(in_child.told());
}

} // namespace
} // namespace redlatch::io
