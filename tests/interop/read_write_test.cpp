// Readers and writers of both languages at one read-write lock. What a writer has in common with other kinds is in
// kinds_test.cpp.
#include "behaviour/kinds.hpp"
#include "contest.hpp"
#include "interop_test.hpp"

namespace redlatch::test {
namespace {

struct read_write : interop_test {
    any_lock reads{cpp.get_read_write_lock(name).read_lock()};
    any_lock writes{cpp.get_read_write_lock(name).write_lock()};

    java_peer::ticket java_waits(std::string const& thread, std::string const& what) const {
        auto const waits = java().start(thread, what, {name});
        EXPECT_FALSE(java().reply_if_any(waits, 100ms).has_value()) << "it waits";
        return waits;
    }
    std::future<hold> cpp_waits(any_lock lock) {
        auto const before = cpp.stats().waiters;
        auto waits = in_thread([lock]() mutable { return lock.acquire({.wait = 20s, .owner = owner()}); });
        EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters > before; }));
        return waits;
    }
};

TEST_F(read_write, is_read_by_both_languages_together_and_written_by_none_meanwhile) {
    hold mine = reads.acquire();
    java().value("a", "read/lock", {name});
    EXPECT_EQ(reads.inspect().owners.size(), 2U);
    EXPECT_TRUE(java().yes("b", "read/isLocked", {name}));
    EXPECT_FALSE(java().yes("b", "write/tryLock", {name}));
    mine.release();
    EXPECT_FALSE(writes.try_acquire()) << "Java's read hold survives our release";
    EXPECT_TRUE(java().yes("a", "read/isHeld", {name}));
    mine = reads.acquire();
    java().value("a", "read/unlock", {name});
    mine.ensure_held();
    EXPECT_FALSE(java().yes("b", "write/tryLock", {name})) << "and ours that of Java";
    EXPECT_TRUE(reads.is_locked());
    mine.release();
    EXPECT_TRUE(java().yes("b", "write/tryLock", {name}));
    java().value("b", "write/unlock", {name});
}

TEST_F(read_write, lets_waiting_readers_of_both_languages_in_when_ours_writes_no_more) {
    hold mine = writes.acquire();
    auto const first = java_waits("a", "read/lock");
    auto const second = java_waits("b", "read/lock");
    auto ours = cpp_waits(reads);
    mine.release();
    EXPECT_TRUE(java().end_of(first).ok);
    EXPECT_TRUE(java().end_of(second).ok) << "all threads of a process";
    EXPECT_TRUE(ours.get());
    for (auto const* const thread : {"a", "b"}) java().value(thread, "read/unlock", {name});
}

TEST_F(read_write, lets_waiting_readers_of_both_languages_in_when_java_writes_no_more) {
    java().value("w", "write/lock", {name});
    auto const theirs = java_waits("a", "read/lock");
    auto first = cpp_waits(reads);
    auto second = cpp_waits(reads);
    java().value("w", "write/unlock", {name});
    EXPECT_TRUE(java().end_of(theirs).ok);
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(second.get());
    java().value("a", "read/unlock", {name});
}

TEST_F(read_write, lets_a_waiting_writer_of_the_other_language_in_when_the_last_reader_leaves) {
    hold mine = reads.acquire();
    java().value("a", "read/lock", {name});
    auto const theirs = java_waits("w", "write/lock");
    java().value("a", "read/unlock", {name});
    EXPECT_FALSE(java().reply_if_any(theirs, 100ms).has_value());
    mine.release();
    EXPECT_TRUE(java().end_of(theirs).ok);
    java().value("w", "write/unlock", {name});
    java().value("a", "read/lock", {name});
    auto ours = cpp_waits(writes);
    java().value("a", "read/unlock", {name});
    EXPECT_TRUE(ours.get());
}

TEST_F(read_write, lets_java_read_as_soon_as_ours_reads_only) {
    owner const me;
    hold writing = writes.acquire({.owner = me});
    hold reading = reads.acquire({.owner = me});
    auto const theirs = java_waits("a", "read/lock");
    writing.release();
    EXPECT_TRUE(java().end_of(theirs).ok);
    reading.ensure_held();
    java().value("a", "read/unlock", {name});
    EXPECT_FALSE(java().yes("a", "write/tryLock", {name})) << "ours still reads";
}

TEST_F(read_write, keeps_nested_holds_of_both_languages_apart) {
    owner const me;
    hold outer = reads.acquire({.owner = me});
    hold inner = reads.acquire({.owner = me});
    for (int level = 0; level < 2; ++level) java().value("a", "read/lock", {name});
    inner.release();
    java().value("a", "read/unlock", {name});
    EXPECT_FALSE(java().yes("b", "write/tryLock", {name}));
    outer.release();
    EXPECT_TRUE(java().yes("a", "read/isHeld", {name})) << "once still";
    java().value("a", "read/unlock", {name});
    EXPECT_FALSE(exists(name));
}

/// A reader counts for one, a writer for more than all readers.
TEST_F(read_write, is_never_written_beside_anybody_of_either_language_and_is_read_by_both_together) {
    constexpr std::int64_t entries = 200;
    constexpr std::int64_t writer = 1000;
    // The last reader wakes the writers of both sides, and ours are the faster ones: they are to be away at times.
    constexpr auto writers_pause = 30ms;
    contest_of all(server(), name, entries);
    hold first = writes.acquire();
    auto const java_reads = all.begins(java(), "r", "read/contest", name, 1, some_pause);
    auto const java_writes = all.begins(java(), "w", "write/contest", name, writer, writers_pause);
    auto const enters = [&](any_lock& lock) { return [&] { return lock.acquire({.wait = patience}); }; };
    auto we_read = in_thread([&] { return all.take_part(enters(reads), 1, some_pause); });
    auto we_write = in_thread([&] { return all.take_part(enters(writes), writer, writers_pause); });
    EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 2; }));
    first.release();
    contest_part const readers[] = {we_read.get(), contest_of::end_of(java(), java_reads)};
    contest_part const writers[] = {we_write.get(), contest_of::end_of(java(), java_writes)};
    for (auto const& one : readers) EXPECT_LT(one.most_inside, writer) << "it read beside a writer";
    for (auto const& one : writers) EXPECT_EQ(one.most_inside, writer) << "it wrote beside somebody";
    EXPECT_EQ(std::max(readers[0].most_inside, readers[1].most_inside), 2) << "both read, and once together";
    std::int64_t sum = 0;
    for (auto const* const parts : {readers, writers}) {
        std::printf("%s C++ had %d, Java %d\n", parts == readers ? "reading" : "writing", int(parts[0].entries),
                    int(parts[1].entries));
        for (std::size_t side = 0; side < 2; ++side) {
            EXPECT_GT(parts[side].entries, 0);
            sum += parts[side].entries;
        }
    }
    EXPECT_EQ(sum, entries);
}

} // namespace
} // namespace redlatch::test
