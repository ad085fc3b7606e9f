// What a resource admits by its fencing gate, and that writes are made in the order of their tokens.
#include <redlatch/fencing_gate.hpp>
#include <redlatch/hold.hpp>

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace redlatch {
namespace {

TEST(fencing_gate, refuses_a_token_that_is_less_than_one_it_has_admitted) {
    fencing_gate gate;
    EXPECT_EQ(gate.admit(33), admission::admitted);
    EXPECT_EQ(gate.admit(34), admission::admitted);
    EXPECT_EQ(gate.admit(33), admission::stale_token);
    EXPECT_EQ(gate.greatest(), 34U) << "a refused token leaves no trace";
    EXPECT_EQ(gate.admit(35), admission::admitted);
}

TEST(fencing_gate, admits_the_writes_of_one_holder_as_often_as_it_makes_them) {
    fencing_gate gate;
    for (int write = 0; write < 3; ++write) EXPECT_EQ(gate.admit(7), admission::admitted);
}

TEST(fencing_gate, refuses_who_has_no_token) {
    fencing_gate gate;
    EXPECT_EQ(gate.admit(std::nullopt), admission::no_token);
    EXPECT_EQ(gate.admit(0), admission::no_token);
    EXPECT_EQ(gate.admit(hold().token()), admission::no_token) << "an empty hold";
    EXPECT_EQ(gate.greatest(), 0U);
}

TEST(fencing_gate, goes_on_after_a_restart_where_it_was) {
    fencing_gate gate(40);
    EXPECT_EQ(gate.greatest(), 40U);
    EXPECT_EQ(gate.admit(39), admission::stale_token);
    EXPECT_EQ(gate.admit(40), admission::admitted) << "the holder may have gone on";
}

TEST(fencing_gate, admits_the_greatest_number_and_then_nothing_less) {
    fencing_gate gate;
    EXPECT_EQ(gate.admit(UINT64_MAX), admission::admitted);
    EXPECT_EQ(gate.admit(UINT64_MAX), admission::admitted);
    EXPECT_EQ(gate.admit(UINT64_MAX - 1), admission::stale_token);
}

TEST(fencing_gate, writes_what_it_admits_and_nothing_else) {
    fencing_gate gate(5);
    int written = 0;
    auto const write = [&] { ++written; };
    EXPECT_EQ(gate.admit(5, write), admission::admitted);
    EXPECT_EQ(gate.admit(4, write), admission::stale_token);
    EXPECT_EQ(gate.admit(std::nullopt, write), admission::no_token);
    EXPECT_EQ(written, 1);
}

TEST(fencing_gate, remembers_the_token_of_a_write_that_failed) {
    fencing_gate gate;
    EXPECT_THROW(static_cast<void>(gate.admit(9, [] { throw std::runtime_error("half written"); })),
                 std::runtime_error);
    EXPECT_EQ(gate.admit(8), admission::stale_token);
    EXPECT_EQ(gate.admit(9), admission::admitted);
}

TEST(fencing_gate, writes_in_the_order_of_the_tokens_whichever_thread_comes_first) {
    constexpr std::uint64_t threads = 4;
    constexpr std::uint64_t rounds = 2000;
    fencing_gate gate;
    std::vector<std::uint64_t> written;
    {
        std::vector<std::jthread> writers;
        for (std::uint64_t first = 1; first <= threads; ++first)
            writers.emplace_back([&, first] {
                for (std::uint64_t token = first; token <= threads * rounds; token += threads)
                    static_cast<void>(gate.admit(token, [&] { written.push_back(token); }));
            });
    }
    EXPECT_TRUE(std::ranges::is_sorted(written));
    EXPECT_EQ(written.back(), threads * rounds);
}

TEST(admission, has_a_word_for_each_verdict) {
    EXPECT_EQ(to_string(admission::admitted), "admitted");
    EXPECT_EQ(to_string(admission::stale_token), "stale_token");
    EXPECT_EQ(to_string(admission::no_token), "no_token");
    EXPECT_EQ(to_string(static_cast<admission>(99)), "unknown");
}

} // namespace
} // namespace redlatch
