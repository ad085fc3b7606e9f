// A server that executes no writes, as the operations of a client see it.
#include "io/write_gate.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using scripted::at;

TEST(write_gate, lets_writes_through_while_the_server_executes_them) {
    write_gate gate(1s, 1);
    EXPECT_EQ(gate.next_write(at(0ms)), at(0ms));
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
    EXPECT_GT(gate.next_write(at(3ms)), at(3ms));
    EXPECT_FALSE(gate.on_executed(at(3ms))) << "a server without memory executes what needs none";
    EXPECT_TRUE(gate.on_written(at(4ms), true));
    EXPECT_EQ(gate.next_write(at(5ms)), at(5ms));
    EXPECT_EQ(gate.refuses_since(), base::never);
    EXPECT_TRUE(gate.on_refused("OOM command not allowed", at(6ms), at(7ms)).begins) << "anew";
}

TEST(write_gate, opens_with_whatever_a_loading_server_executes) {
    write_gate gate(1s, 1);
    gate.on_refused("LOADING Redis is loading the dataset in memory", at(0ms), at(1ms));
    EXPECT_TRUE(gate.on_executed(at(2ms)));
    EXPECT_EQ(gate.next_write(at(3ms)), at(3ms));
}

TEST(write_gate, lets_one_try_on_a_new_connection) {
    write_gate gate(1s, 1);
    gate.on_refused("OOM command not allowed", at(0ms), at(1ms));
    gate.on_connected();
    EXPECT_LE(gate.next_write(at(2ms)), at(2ms));
    EXPECT_GT(gate.next_write(at(3ms)), at(3ms)) << "that one tries for all";
}

} // namespace
} // namespace redlatch::io
