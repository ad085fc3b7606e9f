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

/// Two readers and two writers of each side. A reader counts for one, a writer for more than all readers.
TEST_F(read_write, is_never_written_beside_anybody_is_read_by_both_languages_together_and_starves_neither) {
    constexpr std::int64_t entries = 800;
    constexpr std::int64_t writer = 1000;
    // The last reader wakes the writers of both sides, and ours are the faster ones: they are to be away at times. Java had 40
    // to 54 % of the reading and 37 to 46 % of the writing on a machine with other work. Where writers pause for 30 ms it had
    // 22 to 38 % of the writing, and 5 % on a full machine. Where readers do not pause, hardly anybody writes.
    constexpr auto writers_pause = 100ms;
    auto const enters = [&](any_lock& lock) { return [&] { return lock.acquire({.wait = patience}); }; };
    contest_end readers;
    auto const writers = up_to_three([&] {
        contest_of all(server(), name, entries);
        hold first = writes.acquire();
        std::vector<java_peer::ticket> java_reads;
        std::vector<java_peer::ticket> java_writes;
        std::vector<std::future<contest_part>> we_read;
        std::vector<std::future<contest_part>> we_write;
        for (auto const* const number : {"1", "2"}) {
            java_reads.push_back(all.begins(java(), std::string("r") + number, "read/contest", name, 1, some_pause));
            java_writes.push_back(
                all.begins(java(), std::string("w") + number, "write/contest", name, writer, writers_pause));
            we_read.push_back(in_thread([&] { return all.take_part(enters(reads), 1, some_pause); }));
            we_write.push_back(in_thread([&] { return all.take_part(enters(writes), writer, writers_pause); }));
        }
        EXPECT_TRUE(wait_until([&] { return cpp.stats().waiters == 4; }));
        first.release();
        auto const reading = end_of_both(we_read, java(), java_reads);
        auto const writing = end_of_both(we_write, java(), java_writes);
        EXPECT_EQ(reading.ours + reading.theirs + writing.ours + writing.theirs, entries);
        std::printf("reading C++ had %d, Java %d; writing C++ had %d, Java %d\n", int(reading.ours),
                    int(reading.theirs), int(writing.ours), int(writing.theirs));
        readers = together(readers, reading);
        return writing;
    });
    EXPECT_LT(readers.most_inside, writer) << "one read beside a writer";
    EXPECT_GT(readers.most_inside, 2) << "both sides never read together";
    EXPECT_EQ(writers.most_inside, writer) << "one wrote beside somebody";
    expect_a_tenth_each(readers);
    expect_a_tenth_each(writers);
}

} // namespace
} // namespace redlatch::test
