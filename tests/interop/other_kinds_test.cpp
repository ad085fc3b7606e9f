// Java's other locks live in the same hash: they keep our lock out, and one can see who holds them.
#include "interop_test.hpp"

#include <ostream>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

struct kind {
    char const* java;
    char const* seen_as;
};
void PrintTo(kind const& what, std::ostream* out) {
    *out << what.java;
}

struct other_kinds : interop_test, ::testing::WithParamInterface<kind> {
    java_peer::reply as_kind(std::string const& thread, std::string const& command) {
        return java().ask(thread, std::string(GetParam().java) + "/" + command, {key});
    }
    std::string const key = std::string("other kind: ") + GetParam().java;
};

TEST_P(other_kinds, held_by_java_keep_cpp_out_and_are_shown) {
    auto lock = cpp.get_lock(key);
    ASSERT_TRUE(as_kind("a", "lock").ok);
    EXPECT_TRUE(lock.is_locked());
    EXPECT_FALSE(lock.try_lock());

    auto const info = lock.inspect();
    EXPECT_EQ(info.type, GetParam().seen_as);
    ASSERT_EQ(info.owners.size(), 1U);
    EXPECT_EQ(info.owners[0].client, java().value("main", "id"));
    EXPECT_EQ(info.owners[0].count, 1);
    EXPECT_GT(info.remaining_lease.value_or(0ms), 20s);

    EXPECT_TRUE(as_kind("a", "unlock").ok);
    EXPECT_FALSE(lock.inspect().held);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

struct kinds_that_look : other_kinds {};

TEST_P(kinds_that_look, stay_out_of_what_cpp_holds) {
    hold held = cpp.get_lock(key).acquire();
    EXPECT_EQ(as_kind("a", "tryLock").value, "false");
    held.release();
    EXPECT_EQ(as_kind("a", "tryLock").value, "true");
    EXPECT_TRUE(as_kind("a", "unlock").ok);
}

// A fair lock without a queue and a spin lock look like a re-entrant one.
constexpr kind fair{"fair", "reentrant"};
constexpr kind fenced{"fenced", "fenced"};
constexpr kind read{"read", "read"};
constexpr kind spin{"spin", "reentrant"};
constexpr kind write{"write", "write"};

std::string name_of(::testing::TestParamInfo<kind> const& one) {
    return one.param.java;
}

INSTANTIATE_TEST_SUITE_P(all, other_kinds, ::testing::Values(fair, fenced, read, spin, write), name_of);
// Redisson's read-write lock takes a name that a re-entrant lock holds, Java's own as well as ours.
INSTANTIATE_TEST_SUITE_P(all, kinds_that_look, ::testing::Values(fair, fenced, spin), name_of);

TEST_F(interop_test, fair_lock_of_java_is_known_by_its_queue) {
    auto lock = cpp.get_lock(name);
    java().value("a", "fair/lock", {name});
    auto const waits = java().start("b", "fair/lock", {name});
    EXPECT_TRUE(wait_until([&] { return lock.inspect().type == "fair"; }));
    java().value("a", "fair/unlock", {name});
    EXPECT_TRUE(java().end_of(waits).ok);
    java().value("b", "fair/unlock", {name});
    EXPECT_FALSE(lock.is_locked());
}

} // namespace
} // namespace redlatch::test
