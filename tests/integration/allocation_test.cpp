// An uncontended cycle asks for no memory once a lock has been used.
#include "integration/fixture.hpp"
#include "support/replaced_allocator.hpp"
#include "support/sanitized.hpp"

namespace {

thread_local std::size_t allocations = 0;

} // namespace

void redlatch::test::before_allocation() {
    ++allocations;
}

namespace redlatch::test {
namespace {

/// In sanitized builds memory is not recycled: it would hide errors.
bool const recycles = !is_sanitized();

class allocation_test : public with_server, public ::testing::WithParamInterface<bool> {
protected:
    void SetUp() override {
        if (!recycles) GTEST_SKIP() << "memory is not recycled in builds with sanitizers";
    }
    config settings() const {
        auto made = quick(server.uri());
        if (GetParam()) made.commands = command_set::scripts;
        return made;
    }
    /// With a loop that nobody runs there is no I/O thread, which would now and then read an answer and keep its memory.
    client user{settings(), user_loop{[] { return false; }, {}}};
    reentrant_lock lock = user.get_lock(name);
    static constexpr int warm_up = 100;
    static constexpr int cycles = 5'000;

    template <class Cycle> static void expect_none(Cycle cycle) {
        for (int i = 0; i < warm_up; ++i) cycle();
        auto const before = allocations;
        for (int i = 0; i < cycles; ++i) cycle();
        EXPECT_EQ(allocations - before, 0U) << "in " << cycles << " cycles";
    }
};

INSTANTIATE_TEST_SUITE_P(with, allocation_test, ::testing::Values(false, true),
                         [](auto const& which) { return std::string(which.param ? "scripts" : "plain_commands"); });

TEST_P(allocation_test, counts_what_it_is_meant_to_count) {
    auto const before = allocations;
    delete new int(7);
    EXPECT_EQ(allocations - before, 1U);
}

TEST_P(allocation_test, none_in_lock_and_unlock) {
    expect_none([&] {
        lock.lock();
        lock.unlock();
    });
}

TEST_P(allocation_test, none_in_acquire_and_release) {
    expect_none([&] { lock.acquire().release(); });
}

TEST_P(allocation_test, none_in_try_acquire_with_a_wait_and_an_owner) {
    owner const job;
    expect_none([&] { (void)lock.try_acquire({.wait = 1s, .owner = job}); });
}

TEST_P(allocation_test, none_in_a_detached_release) {
    expect_none([&] { lock.acquire().release_detached(); });
}

TEST_P(allocation_test, none_in_a_re_entry) {
    hold const outer = lock.acquire();
    expect_none([&] { lock.acquire().release(); });
}

} // namespace
} // namespace redlatch::test
