// An uncontended cycle asks for no memory once a lock has been used.
#include "integration/fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}

} // namespace

// All forms that the library could use; the others of the standard library call these.
void* operator new(std::size_t size) {
    return counted(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace redlatch::test {
namespace {

#if defined(REDLATCH_SANITIZED)
constexpr bool recycles = false; // memory is not recycled there: it would hide errors
#else
constexpr bool recycles = true;
#endif

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
    client user{settings()};
    reentrant_lock lock = user.get_lock(name);
    static constexpr int warm_up = 100;
    static constexpr std::size_t cycles = 1'000;
    static constexpr std::size_t rounds = 5;

    /// What the path itself asks for, it asks for in each of several rounds: the least of them is at most `allowed`. In one
    /// of them the I/O thread may have read an answer now and then, and have kept the memory of it.
    template <class Cycle> static void expect(std::size_t allowed, Cycle cycle) {
        for (int i = 0; i < warm_up; ++i) cycle();
        auto least = static_cast<std::size_t>(-1);
        auto const first = allocations;
        for (std::size_t round = 0; round < rounds; ++round) {
            auto const before = allocations;
            for (std::size_t i = 0; i < cycles; ++i) cycle();
            least = std::min(least, allocations - before);
        }
        EXPECT_LE(least, allowed);
        EXPECT_LE(allocations - first, rounds * (allowed + cycles / 100)) << "more than an answer now and then";
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
    expect(0, [&] {
        lock.lock();
        lock.unlock();
    });
}

TEST_P(allocation_test, none_in_acquire_and_release) {
    expect(0, [&] { lock.acquire().release(); });
}

TEST_P(allocation_test, none_in_try_acquire_with_a_wait_and_an_owner) {
    owner const job;
    expect(0, [&] { (void)lock.try_acquire({.wait = 1s, .owner = job}); });
}

TEST_P(allocation_test, next_to_none_in_a_detached_release) {
    // Now and then the I/O thread reads an answer, and keeps the memory of what has ended.
    expect(cycles / 50, [&] { lock.acquire().release_detached(); });
}

TEST_P(allocation_test, none_in_a_re_entry) {
    hold const outer = lock.acquire();
    expect(0, [&] { lock.acquire().release(); });
}

} // namespace
} // namespace redlatch::test
