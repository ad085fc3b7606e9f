#include "holders.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace redlatch::cli {
namespace {

lock_owner holder(std::string owner, std::optional<std::string> label = {}) {
    return {std::move(owner), "client", "1", 1, std::move(label)};
}

lock_owner released(std::string owner) {
    auto one = holder(std::move(owner));
    one.released = true;
    return one;
}

lock_info held_by(std::vector<lock_owner> owners) {
    lock_info lock;
    lock.held = true;
    lock.owners = std::move(owners);
    return lock;
}

TEST(text_of_holders, says_who_it_is_and_where_it_is_found) {
    EXPECT_EQ(text_of_holders(held_by({holder("uuid:1", "web-1:4711:importer")})), "web-1:4711:importer (uuid:1)");
    EXPECT_EQ(text_of_holders(held_by({holder("uuid:1")})), "uuid:1") << "Java's";
    EXPECT_EQ(text_of_holders(held_by({holder("uuid:1", "a"), holder("uuid:2"), holder("uuid:3")})),
              "a (uuid:1) and 2 more");
    EXPECT_EQ(text_of_holders(held_by({holder("\x1b", "\x1b[31m")})), "\\x1b[31m (\\x1b)");
    EXPECT_LT(text_of_holders(held_by({holder(std::string(100'000, 'x'))})).size(), 200U);
}

TEST(text_of_holders, says_that_not_all_were_read) {
    auto many = held_by({holder("uuid:1", "a"), holder("uuid:2"), holder("uuid:3")});
    many.truncated = true;
    EXPECT_EQ(text_of_holders(many), "a (uuid:1) and at least 2 more");
}

TEST(text_of_holders, leaves_out_who_has_released_it) {
    EXPECT_EQ(text_of_holders(held_by({released("uuid:0"), holder("uuid:2"), holder("uuid:3")})), "uuid:2 and 1 more");
    EXPECT_EQ(text_of_holders(held_by({released("uuid:0"), holder("uuid:2")})), "uuid:2");
}

TEST(text_of_minimum_hold, says_how_long_it_lasts_still) {
    auto kept = held_by({released("uuid:0")});
    EXPECT_TRUE(is_in_minimum_hold(kept));
    EXPECT_EQ(text_of_minimum_hold(kept), "its last holder has released it, and the rest is its minimum hold");
    kept.remaining_lease = std::chrono::seconds(12);
    EXPECT_EQ(text_of_minimum_hold(kept),
              "its last holder has released it, and the rest is its minimum hold, 12s still");
    EXPECT_FALSE(is_in_minimum_hold(held_by({released("uuid:0"), holder("uuid:2")})));
    EXPECT_FALSE(is_in_minimum_hold({}));
}

TEST(text_of_queue, says_who_is_first_and_when_it_is_passed_over) {
    lock_info queued;
    EXPECT_FALSE(is_kept_for_a_waiter(queued)) << "it is free";
    queued.waiters = {{.owner = "uuid:7", .client = "uuid", .holder = "7"}, {.owner = "uuid:8"}};
    EXPECT_TRUE(is_kept_for_a_waiter(queued));
    EXPECT_EQ(text_of_queue(queued), "nobody holds it, and it is kept for the first of its queue, uuid:7")
        << "this user may not know more";
    queued.waiters[0].label = "web-1:4711:importer";
    queued.waiters[0].passed_over_in = std::chrono::seconds(299);
    EXPECT_EQ(text_of_queue(queued),
              "nobody holds it, and it is kept for the first of its queue, "
              "web-1:4711:importer (uuid:7), which is passed over in 4m59s unless it asks again");
    queued.waiters[0].owner = std::string(100'000, 'x');
    EXPECT_LT(text_of_queue(queued).size(), 400U);
    queued.held = true;
    EXPECT_FALSE(is_kept_for_a_waiter(queued)) << "somebody holds it";
}

std::string label_for(config settings, std::string const& program) {
    label_holds(settings, program);
    return settings.holder_label.value_or("(none)");
}

TEST(label_holds, names_the_command_under_the_lock) {
    auto const mine = ":" + std::to_string(::getpid()) + ":";
    EXPECT_TRUE(label_for({}, "/usr/bin/importer").ends_with(mine + "importer"));
    EXPECT_TRUE(label_for({}, "importer").ends_with(mine + "importer"));
    EXPECT_TRUE(label_for({}, "./two words\n\xc3\xa4").ends_with(mine + "two_words___"));
    EXPECT_EQ(label_for({}, std::string(1000, 'x')).size(), 128U);
}

TEST(label_holds, leaves_what_the_user_has_chosen) {
    EXPECT_EQ(label_for({.holder_label = "mine"}, "importer"), "mine");
    EXPECT_EQ(label_for({.holder_label = ""}, "importer"), "");
    EXPECT_EQ(label_for({.client_name = "till-3"}, "importer"), "(none)");
}

} // namespace
} // namespace redlatch::cli
