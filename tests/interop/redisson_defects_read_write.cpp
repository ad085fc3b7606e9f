// Read-write locks: a writer that goes on as a reader, a reader that asks to write, renewal of one half beside the other.
#include "redisson_defects_test.hpp"

namespace redlatch::test {
namespace {

class redisson_defects_read_write : public redisson_defects_test {
protected:
    java_peer::ticket java_reader_waits() const {
        auto const before = script_calls();
        auto const waits = java().start("reader", "read/lock", {name});
        EXPECT_TRUE(wait_until([&] { return script_calls() >= before + 2; }));
        EXPECT_TRUE(still_waits(waits));
        return waits;
    }

    any_lock reads{brief_cpp.get_read_write_lock(name).read_lock()};
    any_lock writes{brief_cpp.get_read_write_lock(name).write_lock()};
};

TEST_F(redisson_defects_read_write, java_lets_readers_sleep_when_its_writer_goes_on_as_a_reader) {
    java().value("w", "write/lock", {name});
    java().value("w", "read/lock", {name});
    auto const waits = java_reader_waits();
    java().value("w", "write/unlock", {name});
    EXPECT_EQ(server().run("HGET", name, "mode").text, "read");
    EXPECT_TRUE(still_waits(waits)) << "nothing was published";
    EXPECT_TRUE(wait_until([&] {
        server().run("PUBLISH", "redisson_rwlock:{" + name + "}", "1");
        return java().reply_if_any(waits, 10ms).has_value();
    })) << "it could read all the time";
    for (auto const* const thread : {"w", "reader"}) java().value(thread, "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, ours_lets_readers_in_when_its_writer_goes_on_as_a_reader) {
    owner const me;
    hold writing = writes.acquire({.owner = me});
    hold const reading = reads.acquire({.owner = me});
    auto const waits = java_reader_waits();
    writing.release();
    EXPECT_TRUE(java().end_of(waits).ok);
    java().value("reader", "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, java_renews_its_write_hold_no_more_when_a_read_hold_beside_it_ends) {
    brief_java().value("w", "write/lock", {name});
    brief_java().value("w", "read/lock", {name});
    brief_java().value("w", "read/unlock", {name});
    EXPECT_TRUE(brief_java().yes("w", "write/isHeld", {name}));
    EXPECT_TRUE(wait_until([&] { return !exists(name); }, 2 * brief_watchdog)) << "and nobody has released it";
    EXPECT_EQ(brief_java().ask("w", "write/unlock", {name}).exception_class, "IllegalMonitorStateException");
}

TEST_F(redisson_defects_read_write, ours_renews_its_write_hold_when_a_read_hold_beside_it_ends) {
    owner const me;
    hold const writing = writes.acquire({.owner = me});
    hold reading = reads.acquire({.owner = me});
    reading.release();
    EXPECT_TRUE(renewed(4)) << "beyond its first lease";
    writing.ensure_held();
}

TEST_F(redisson_defects_read_write, java_renews_its_write_hold_no_more_when_it_finds_no_read_holds_to_end_by_force) {
    brief_java().value("w", "write/lock", {name});
    EXPECT_FALSE(brief_java().yes("w", "read/forceUnlock", {name}));
    EXPECT_TRUE(brief_java().yes("w", "write/isHeld", {name}));
    EXPECT_TRUE(wait_until([&] { return !exists(name); }, 2 * brief_watchdog)) << "and nobody has released it";
    EXPECT_EQ(brief_java().ask("w", "write/unlock", {name}).exception_class, "IllegalMonitorStateException");
}

TEST_F(redisson_defects_read_write, ours_renews_its_write_hold_when_it_finds_no_read_holds_to_end_by_force) {
    hold const writing = writes.acquire();
    EXPECT_FALSE(reads.force_unlock());
    EXPECT_TRUE(renewed(4)) << "beyond its first lease";
    writing.ensure_held();
}

TEST_F(redisson_defects_read_write, java_that_renews_its_read_hold_shortens_the_lease_of_another_reader) {
    java().value("long", "read/lock", {name, "30000"});
    brief_java().value("renewed", "read/lock", {name});
    EXPECT_GT(ttl(), 20'000);
    EXPECT_TRUE(wait_until([&] { return ttl() <= brief_watchdog.count(); }));
    brief_java().value("renewed", "read/unlock", {name});
    java().value("long", "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, ours_that_renews_its_read_hold_leaves_another_reader_its_lease) {
    java().value("long", "read/lock", {name, "30000"});
    hold reading = reads.acquire();
    auto const before = brief_cpp.stats().renewals;
    EXPECT_TRUE(wait_until([&] { return brief_cpp.stats().renewals >= before + 3; }));
    reading.ensure_held();
    EXPECT_GT(ttl(), 20'000);
    reading.release();
    java().value("long", "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, java_says_asynchronously_that_somebody_writes_while_somebody_reads) {
    java().value("a", "read/lock", {name});
    EXPECT_FALSE(java().yes("b", "write/isLocked", {name}));
    EXPECT_TRUE(java().yes("b", "write/isLockedAsync", {name}));
    java().value("a", "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, ours_says_asynchronously_that_nobody_writes_while_somebody_reads) {
    java().value("a", "read/lock", {name});
    EXPECT_FALSE(answered<bool>([&](completion_ptr<bool>& done) { return writes.start_is_locked(done); }));
    EXPECT_TRUE(answered<bool>([&](completion_ptr<bool>& done) { return reads.start_is_locked(done); }));
    java().value("a", "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, java_waits_for_itself_when_it_reads_and_asks_to_write) {
    java().value("a", "read/lock", {name});
    auto const waits = java().start("a", "write/lockInterruptibly", {name});
    EXPECT_FALSE(java().reply_if_any(waits, 500ms)) << "there is nobody else";
    EXPECT_EQ(server().run("HLEN", name).integer, 2) << "the mode and one reader";
    interrupt(java(), "a");
    EXPECT_EQ(java().end_of(waits).exception_class, "InterruptedException");
    java().value("a", "read/unlock", {name});
}

TEST_F(redisson_defects_read_write, ours_says_that_it_would_wait_for_itself_when_it_reads_and_asks_to_write) {
    owner const me;
    hold const reading = reads.acquire({.owner = me});
    std::error_code ec;
    EXPECT_FALSE(writes.acquire({.owner = me}, ec));
    EXPECT_EQ(ec, errc::would_deadlock);
}

} // namespace
} // namespace redlatch::test
