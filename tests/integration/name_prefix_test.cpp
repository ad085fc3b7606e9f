// Names of a client that begin with a prefix on the server.
#include "integration/fixture.hpp"

#include <algorithm>

namespace redlatch::test {
namespace {

class name_prefix_test : public with_server {
protected:
    config prefixed(std::string const& prefix = "app:") const {
        config settings = quick(server.uri());
        settings.name_prefix = prefix;
        return settings;
    }

    client user{prefixed()};
    client plain{quick(server.uri())};
};

TEST_F(name_prefix_test, is_before_the_names_of_all_kinds) {
    auto const taken = [](auto ours, auto theirs) {
        auto const held = ours.acquire({.wait = 10s});
        return theirs.is_locked();
    };
    EXPECT_TRUE(taken(user.get_lock("a"), plain.get_lock("app:a")));
    EXPECT_TRUE(taken(user.get_non_reentrant_lock("b"), plain.get_non_reentrant_lock("app:b")));
    EXPECT_TRUE(taken(user.get_fenced_lock("c"), plain.get_fenced_lock("app:c")));
    EXPECT_TRUE(taken(user.get_fair_lock("d"), plain.get_fair_lock("app:d")));
    EXPECT_TRUE(taken(user.get_non_reentrant_fair_lock("e"), plain.get_non_reentrant_fair_lock("app:e")));
    EXPECT_TRUE(taken(user.get_spin_lock("f"), plain.get_spin_lock("app:f")));
    EXPECT_TRUE(taken(user.get_read_write_lock("g").read_lock(), plain.get_read_write_lock("app:g").read_lock()));
    EXPECT_TRUE(taken(user.get_read_write_lock("h").write_lock(), plain.get_read_write_lock("app:h").write_lock()));
    EXPECT_TRUE(taken(user.get_faster_multi_lock("i", {"x"}), plain.get_faster_multi_lock("app:i", {"x"})));
}

TEST_F(name_prefix_test, is_before_the_names_of_semaphores_latches_and_elections) {
    EXPECT_TRUE(user.get_semaphore("s").try_set_permits(3));
    EXPECT_EQ(plain.get_semaphore("app:s").available_permits(), 3);
    EXPECT_TRUE(user.get_permit_semaphore("p").try_set_permits(4));
    EXPECT_EQ(plain.get_permit_semaphore("app:p").available_permits(), 4);
    EXPECT_TRUE(user.get_count_down_latch("l").try_set_count(5));
    EXPECT_EQ(plain.get_count_down_latch("app:l").count(), 5);
    auto election = user.get_leader_election("e", {.candidate = "me"});
    auto const term = election.campaign({.wait = 10s});
    auto const leader = plain.get_leader_election("app:e").leader();
    ASSERT_TRUE(leader);
    EXPECT_EQ(leader->candidate, "me");
}

TEST_F(name_prefix_test, is_not_put_before_a_name_that_begins_with_it) {
    auto const held = user.get_lock("app:job").acquire({.wait = 10s});
    EXPECT_TRUE(exists("app:job"));
    EXPECT_TRUE(user.get_lock("job").is_locked()) << "it is the same lock";
}

TEST_F(name_prefix_test, excludes_whoever_uses_the_whole_name) {
    auto held = user.get_lock("job").acquire({.wait = 10s});
    auto waiting = in_thread([&] { return plain.get_lock("app:job").acquire({.wait = 30s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits("app:job"); }));
    EXPECT_EQ(held.lock_name(), "app:job");
    held.release();
    waiting.get().release();
}

TEST_F(name_prefix_test, is_taken_off_what_is_listed) {
    auto const first = user.get_lock("job-1").acquire({.wait = 10s});
    auto const second = user.get_lock("task").acquire({.wait = 10s});
    auto const other = plain.get_lock("job-9").acquire({.wait = 10s});
    auto const names = [this](std::string const& pattern) {
        std::vector<std::string> found;
        for (auto const& one : user.list_locks(pattern)) found.push_back(one.name);
        std::sort(found.begin(), found.end());
        return found;
    };
    EXPECT_EQ(names("*"), (words{"job-1", "task"}));
    EXPECT_EQ(names("job*"), (words{"job-1"}));
    EXPECT_EQ(names("app:job*"), (words{"job-1"}));
    EXPECT_EQ(plain.list_locks("*").size(), 3U);
    server.run("RPUSH", "redisson_lock_queue:{app:queued}", "0e1f2a3b-0000-4000-8000-0123456789ab:7");
    server.run("RPUSH", "redisson_lock_queue:{queued}", "0e1f2a3b-0000-4000-8000-0123456789ab:7");
    EXPECT_EQ(names("*"), (words{"job-1", "queued", "task"})) << "nobody holds it, and somebody is in its queue";
    EXPECT_EQ(names("queue*"), (words{"queued"}));
}

TEST_F(name_prefix_test, is_taken_off_listed_permit_semaphores) {
    auto of_ours = user.get_permit_semaphore("p");
    EXPECT_TRUE(of_ours.try_set_permits(2));
    auto const held = of_ours.acquire({.wait = 10s});
    auto of_others = plain.get_permit_semaphore("q");
    EXPECT_TRUE(of_others.try_set_permits(2));
    auto const others = of_others.acquire({.wait = 10s});
    std::vector<std::string> found;
    user.visit_permit_semaphores("*", [&](std::vector<permit_info> const& some) {
        for (auto const& one : some) found.push_back(one.name);
    });
    EXPECT_EQ(found, (words{"p"}));
}

TEST_F(name_prefix_test, is_taken_off_listed_numbers) {
    EXPECT_TRUE(user.get_semaphore("s").try_set_permits(3));
    EXPECT_TRUE(plain.get_semaphore("s").try_set_permits(4));
    std::vector<std::pair<std::string, std::int64_t>> found;
    user.visit_counters("*", [&](std::vector<counter_info> const& some) {
        for (auto const& one : some) found.emplace_back(one.name, one.number);
    });
    user.visit_permit_semaphores("*",
                                 [&](std::vector<permit_info> const& some) {
                                     for (auto const& one : some) found.emplace_back(one.name, one.available);
                                 },
                                 {.with_untaken = true});
    EXPECT_EQ(found, (std::vector<std::pair<std::string, std::int64_t>>{{"s", 3}, {"s", 3}}));
}

TEST_F(name_prefix_test, may_have_what_a_pattern_has) {
    client odd(prefixed("[a]*"));
    auto const held = odd.get_lock("job").acquire({.wait = 10s});
    EXPECT_TRUE(exists("[a]*job"));
    auto const others = plain.get_lock("a-job").acquire({.wait = 10s});
    auto const found = odd.list_locks("*");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().name, "job");
}

} // namespace
} // namespace redlatch::test
