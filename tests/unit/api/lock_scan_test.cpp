#include "api/lock_scan.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace redlatch::detail {
namespace {

using kind = lock_scan::kind;
using words = std::vector<std::string>;

words patterns_for(std::string const& pattern) {
    words found;
    for (auto const& scan : scans_for_locks(pattern)) found.push_back(scan.pattern);
    return found;
}

TEST(lock_scans, find_queues_beside_locks_with_as_few_as_can_find_anything) {
    EXPECT_EQ(patterns_for("*"), (words{"*", "redisson_lock_queue:*"}));
    EXPECT_EQ(patterns_for("job"), (words{"job", "redisson_lock_queue:{job}"}));
    EXPECT_EQ(patterns_for("{job}*"), (words{"{job}*", "redisson_lock_queue:{job}*"}));
    EXPECT_EQ(patterns_for("job*"), (words{"job*", "redisson_lock_queue:{job*}", "redisson_lock_queue:job*"}));
    EXPECT_EQ(patterns_for("j?b"), (words{"j?b", "redisson_lock_queue:{j?b}", "redisson_lock_queue:j?b"}));
    EXPECT_EQ(patterns_for("[{j]b"), (words{"[{j]b", "redisson_lock_queue:{[{j]b}", "redisson_lock_queue:[{j]b"}));
    auto const scans = scans_for_locks("j*");
    EXPECT_STREQ(scans[0].type(), "hash");
    EXPECT_STREQ(scans[1].type(), "list");
}

TEST(lock_scans, know_the_lock_by_the_key_of_its_queue) {
    lock_scan const all{.what = kind::queues};
    EXPECT_EQ(all.name_in("redisson_lock_queue:{job}"), "job");
    EXPECT_EQ(all.name_in("redisson_lock_queue:a{b}"), "a{b}");
    EXPECT_EQ(all.name_in("redisson_lock_queue:{a}{b}"), "{a}{b}");
    EXPECT_EQ(all.name_in("redisson_lock_queue:{a}b}"), "a}b");
    for (auto const* const foreign :
         {"redisson_lock_queue:", "redisson_lock_queue:job", "redisson_lock_timeout:{job}", "job", ""})
        EXPECT_EQ(all.name_in(foreign), "") << foreign;
    EXPECT_EQ(all.name_in("redisson_lock_queue:{" + std::string(70'000, 'x') + "}"), "") << "no name is so long";
}

TEST(lock_scans, take_no_queue_whose_name_does_not_match) {
    lock_scan const plain{.what = kind::queues_of_plain};
    EXPECT_EQ(plain.name_in("redisson_lock_queue:{job}"), "job");
    EXPECT_EQ(plain.name_in("redisson_lock_queue:{a}{b}"), "");
    lock_scan const tagged{.what = kind::queues_of_tagged};
    EXPECT_EQ(tagged.name_in("redisson_lock_queue:{job}"), "") << "found by brackets that its name does not have";
    EXPECT_EQ(tagged.name_in("redisson_lock_queue:a{b}"), "a{b}");
}

TEST(lock_scans, of_locks_take_the_keys_themselves) {
    lock_scan const locks;
    EXPECT_EQ(locks.name_in("redisson_lock_queue:{job}"), "redisson_lock_queue:{job}") << "any hash may be a lock";
    EXPECT_EQ(locks.name_in(""), "");
    EXPECT_EQ(locks.name_in(std::string(70'000, 'x')), "");
}

TEST(lock_scans, begin_again_and_know_what_they_have_seen) {
    lock_scan scan;
    scan.seen.insert("job");
    scan.cursor = "7";
    scan.done = true;
    scan.begin_again();
    EXPECT_EQ(scan.cursor, "0");
    EXPECT_FALSE(scan.done);
    EXPECT_EQ(scan.seen.count("job"), 1U);
}

} // namespace
} // namespace redlatch::detail
