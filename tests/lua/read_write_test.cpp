// The two halves of a read-write lock.
#include "lua/script_test.hpp"

#include <map>
#include <string>

namespace redlatch::test {
namespace {

using locking::scripts::read_acquire;
using locking::scripts::read_renew;
using locking::scripts::read_set_count;
using locking::scripts::read_write_force_release;
using locking::scripts::read_write_release;
using locking::scripts::write_acquire;

class read_write_script : public script_test {
protected:
    static std::string key(std::string const& owner, int n) {
        return "{orders}:" + owner + ":rwlock_timeout:" + std::to_string(n);
    }
    static std::string alive(std::string const& owner, int n, std::string const& lease = "100s") {
        return key(owner, n) + " 1 " + lease;
    }
    std::string read(std::string const& owner, std::string const& beside = "", std::string const& lease = "100000") {
        return shown(call(read_acquire, {"orders", "{orders}:"}, {lease, owner, beside}));
    }
    std::string write(std::string const& owner, std::string const& lease = "100000") {
        return shown(call(write_acquire, {"orders"}, {lease, owner}));
    }
    std::string set_read_count(std::string const& owner, int count, std::string const& lease = "100000") {
        return shown(call(read_set_count, {"orders", "{orders}:"}, {lease, owner, std::to_string(count)}));
    }
    std::string release(std::string const& owner) {
        auto const message = owner.ends_with(":write") ? "1" : "0";
        return shown(call(read_write_release, {"orders", "{orders}:"}, {owner, "PUBLISH", "channel", message}));
    }
    std::string release_to_keep(std::string const& owner) {
        words arguments{owner, "PUBLISH", "channel", owner.ends_with(":write") ? "1" : "0", "50000", "me:0"};
        if (owner.ends_with(":write")) arguments.emplace_back("me:0:write");
        return shown(call(read_write_release, {"orders", "{orders}:"}, arguments));
    }
    std::string force(std::string const& mode) {
        return shown(call(read_write_force_release, {"orders", "{orders}:"},
                          {mode, "PUBLISH", "channel", mode == "write" ? "1" : "0"}));
    }
    std::string renew(words const& owners, std::string const& lease = "100000") {
        words keys, arguments{lease};
        for (auto const& owner : owners) {
            keys.push_back("orders");
            arguments.insert(arguments.end(), {owner, "{orders}:"});
        }
        return shown(call(read_renew, keys, arguments));
    }
};
REDLATCH_ON_EVERY_SERVER(read_write_script);

TEST_P(read_write_script, lets_many_read_and_each_repeat_find_its_own_hold) {
    EXPECT_EQ(read("me:1"), "nil");
    EXPECT_EQ(read("me:1"), "nil") << "a repeat";
    EXPECT_EQ(read("you:1", "", "200000"), "nil");
    EXPECT_EQ(read("she:1", "", "50000"), "nil");
    EXPECT_EQ(state(), (words{"orders {mode=read me:1=1 you:1=1 she:1=1} 200s", alive("me:1", 1),
                              alive("she:1", 1, "50s"), alive("you:1", 1, "200s")}));
    EXPECT_EQ(write("me:1:write"), "200s") << "who reads keeps writers out, itself too";
}

TEST_P(read_write_script, leaves_a_hash_alone_that_is_no_lock) {
    for (bool const expires : {false, true}) {
        for (auto const& [field, value] :
             std::map<std::string, std::string>{{"color", "red"}, {"he:1", "x"}, {"", ""}}) {
            server().run("HSET", "orders", "mode", "read");
            if (!field.empty()) server().run("HSET", "orders", field, value);
            if (expires) server().run("PEXPIRE", "orders", "100000");
            auto const before = state();
            EXPECT_EQ(read("me:1"), expires ? "100s" : "-1");
            EXPECT_EQ(state(), before);
            server().run("DEL", "orders");
        }
    }
}

TEST_P(read_write_script, leaves_what_somebody_has_written_into_the_lock) {
    read("me:1");
    server().run("HSET", "orders", "color", "red");
    EXPECT_EQ(release("me:1"), "1");
    EXPECT_EQ(state(), words{"orders {mode=read color=red} 100s"});
}

TEST_P(read_write_script, lets_one_write_and_each_repeat_find_its_own_hold) {
    EXPECT_EQ(write("me:1:write"), "nil");
    EXPECT_EQ(write("me:1:write", "200000"), "nil") << "a repeat";
    EXPECT_EQ(write("you:1:write"), "200s");
    EXPECT_EQ(read("you:1"), "200s");
    EXPECT_EQ(read("you:1", "you:2:write"), "200s") << "that hold is gone";
    EXPECT_EQ(state(), words{"orders {mode=write me:1:write=1} 200s"});
}

TEST_P(read_write_script, lets_who_writes_read_too_and_everybody_read_when_it_writes_no_more) {
    write("me:1:write", "200000");
    EXPECT_EQ(read("me:2", "me:1:write"), "nil");
    EXPECT_EQ(state(), (words{"orders {mode=write me:1:write=1 me:2=1} 200s", alive("me:2", 1)}));
    listener ear(server());
    EXPECT_EQ(release("me:1:write"), "2");
    EXPECT_EQ(ear.heard(), words{"channel 1"}) << "readers enter at once";
    EXPECT_EQ(state(), (words{"orders {mode=read me:2=1} 100s", alive("me:2", 1)})) << "no longer than who reads";
    EXPECT_EQ(read("you:1"), "nil");
    EXPECT_EQ(release("me:1:write"), "0") << "a repeat";
}

TEST_P(read_write_script, keeps_writing_when_who_writes_reads_no_more) {
    write("me:1:write", "200000");
    read("me:2", "me:1:write");
    listener ear(server());
    EXPECT_EQ(release("me:2"), "1");
    EXPECT_EQ(ear.heard(), words{});
    EXPECT_EQ(state(), words{"orders {mode=write me:1:write=1} 200s"});
    EXPECT_EQ(release("me:1:write"), "2");
    EXPECT_EQ(ear.heard(), words{"channel 1"});
    EXPECT_EQ(state(), words{});
}

TEST_P(read_write_script, tells_of_the_end_of_the_last_reader_only) {
    read("me:1", "", "150000");
    read("you:1");
    listener ear(server());
    EXPECT_EQ(release("me:1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read you:1=1} 100s", alive("you:1", 1)})) << "its lease and no longer";
    EXPECT_EQ(ear.heard(), words{});
    EXPECT_EQ(release("you:1"), "2");
    EXPECT_EQ(release("you:1"), "0");
    EXPECT_EQ(ear.heard(), words{"channel 0"});
    EXPECT_EQ(state(), words{});
}

TEST_P(read_write_script, leaves_the_lease_to_readers_who_stay_for_longer) {
    read("me:1", "", "50000");
    read("you:1", "", "200000");
    read("she:1");
    set_read_count("she:1", 2);
    EXPECT_EQ(release("me:1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read you:1=1 she:1=2} 200s", alive("she:1", 1), alive("she:1", 2),
                              alive("you:1", 1, "200s")}));
    EXPECT_EQ(release("she:1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read you:1=1} 200s", alive("you:1", 1, "200s")}));
    EXPECT_EQ(release("you:1"), "1") << "nobody listens";
    EXPECT_EQ(state(), words{});
}

/// Of many who read with the same lease nobody has to look at all others when one of them leaves.
TEST_P(read_write_script, leaves_its_lease_where_another_reader_stays_for_as_long_but_for_a_second) {
    read("me:1", "", "330000");
    read("you:1", "", "329500");
    read("she:1", "", "200000");
    EXPECT_EQ(release("me:1"), "1");
    EXPECT_GT(server().run("PTTL", "orders").integer, 329'500);
    EXPECT_EQ(release("you:1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read she:1=1} 200s", alive("she:1", 1, "200s")}))
        << "its lease and no longer";
    read("me:1", "", "330000");
    read("you:1", "", "328500");
    EXPECT_EQ(release("me:1"), "1");
    EXPECT_LE(server().run("PTTL", "orders").integer, 328'500)
        << "the others are to be let in when that reader has died";
}

TEST_P(read_write_script, tells_who_waits_when_the_lease_becomes_much_shorter) {
    read("me:1", "", "300000");
    read("you:1");
    listener ear(server());
    EXPECT_EQ(release("me:1"), "2") << "they would sleep for 300 s";
    EXPECT_EQ(ear.heard(), words{"channel 0"});
    EXPECT_EQ(state(), (words{"orders {mode=read you:1=1} 100s", alive("you:1", 1)}));
}

TEST_P(read_write_script, tells_who_waits_also_when_the_clock_moved_on_within_the_script_that_acquired) {
    read("me:1", "", "300000");
    command({"PEXPIRE", "orders", "300500"}); // the later command of that script
    read("you:1");
    listener ear(server());
    EXPECT_EQ(release("me:1"), "2") << "no other reader stays for as long";
    EXPECT_EQ(ear.heard(), words{"channel 0"});
    EXPECT_EQ(state(), (words{"orders {mode=read you:1=1} 100s", alive("you:1", 1)}));
}

TEST_P(read_write_script, leaves_a_hold_that_is_there_as_it_is_when_a_copy_comes_late) {
    read("me:1", "", "50000");
    set_read_count("me:1", 2, "200000");
    auto const before = state();
    EXPECT_EQ(read("me:1", "", "50000"), "nil");
    EXPECT_EQ(state(), before);
}

TEST_P(read_write_script, leaves_no_keys_of_a_reader_whose_lock_was_deleted) {
    read("me:1");
    set_read_count("me:1", 2);
    command({"DEL", "orders"});
    EXPECT_EQ(release("me:1"), "0");
    EXPECT_EQ(state(), words{});
}

TEST_P(read_write_script, does_not_count_readers_that_are_dead) {
    read("dead:1");
    command({"DEL", key("dead:1", 1)});
    read("me:1");
    EXPECT_EQ(release("me:1"), "1") << "and told nobody of those who listen, who are none";
    EXPECT_EQ(state(), words{});
    write("me:1:write");
    read("dead:1", "me:1:write");
    command({"DEL", key("dead:1", 1)});
    EXPECT_EQ(release("me:1:write"), "1");
    EXPECT_EQ(state(), words{});
}

TEST_P(read_write_script, keeps_a_key_for_each_read_hold_as_redisson_does) {
    read("me:1");
    EXPECT_EQ(set_read_count("me:1", 3, "200000"), "1");
    EXPECT_EQ(set_read_count("me:1", 3, "50000"), "1") << "no lease is shortened";
    EXPECT_EQ(state(), (words{"orders {mode=read me:1=3} 200s", alive("me:1", 1, "200s"), alive("me:1", 2, "200s"),
                              alive("me:1", 3, "200s")}));
    EXPECT_EQ(set_read_count("me:1", 1), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read me:1=1} 200s", alive("me:1", 1, "200s")}));
    EXPECT_EQ(set_read_count("me:1", 2, "1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read me:1=2} 200s", alive("me:1", 1, "200s"), alive("me:1", 2, "200s")}))
        << "all holds of an owner live as long as the longest";
    set_read_count("me:1", 1);
    EXPECT_EQ(set_read_count("you:1", 2), "0");
    set_read_count("me:1", 2);
    EXPECT_EQ(release("me:1"), "1") << "whatever its count";
    EXPECT_EQ(state(), words{});
}

TEST_P(read_write_script, renews_what_is_held_and_names_what_is_not) {
    for (auto const* const who : {"me:1", "you:1", "dead:1"}) read(who, "", "50000");
    set_read_count("you:1", 2, "50000");
    command({"DEL", key("dead:1", 1)});
    EXPECT_EQ(renew({"me:1", "gone:1", "you:1", "dead:1"}), "[2 4]");
    EXPECT_EQ(state(), (words{"orders {mode=read me:1=1 you:1=2 dead:1=1} 100s", alive("me:1", 1), alive("you:1", 1),
                              alive("you:1", 2)}));
    EXPECT_EQ(renew({"me:1"}, "1"), "[]") << "a question shortens nothing";
    EXPECT_EQ(shown(command({"PTTL", "orders"})), "100s");
    command({"FLUSHALL"});
    command({"SET", "orders", "x"});
    EXPECT_EQ(renew({"me:1"}), "[1]");
}

TEST_P(read_write_script, renews_others_where_one_is_gone_and_nobody_may_ask_whether_keys_are_there) {
    for (auto const* const who : {"me:1", "dead:1"}) read(who, "", "50000");
    command({"DEL", key("dead:1", 1)});
    auto user = restricted({"-exists"});
    words const both{"100000", "dead:1", "{orders}:", "me:1", "{orders}:"};
    EXPECT_EQ(shown(call(user, read_renew, {"orders", "orders"}, both)), "[1]");
    EXPECT_EQ(state(), (words{"orders {mode=read me:1=1 dead:1=1} 100s", alive("me:1", 1)}));
}

TEST_P(read_write_script, keeps_everybody_out_for_the_rest_of_a_minimum_hold_of_who_writes) {
    write("me:1:write");
    listener ear(server());
    EXPECT_EQ(release_to_keep("me:1:write"), "2") << "the one who listens here";
    EXPECT_EQ(ear.heard(), words{"channel 1"});
    EXPECT_EQ(state(), words{"orders {mode=write me:0:write=1} 50s"});
    EXPECT_EQ(release_to_keep("me:1:write"), "0") << "a repeat";
    EXPECT_EQ(read("you:1"), "50s");
    EXPECT_EQ(write("me:1:write"), "50s");
    EXPECT_EQ(force("write"), "1");
    EXPECT_EQ(state(), words{});
    write("me:1:write", "10000");
    EXPECT_EQ(release_to_keep("me:1:write"), "2");
    EXPECT_EQ(state(), words{"orders {mode=write me:0:write=1} 50s"}) << "longer than the lease that it had";
}

TEST_P(read_write_script, keeps_writers_out_for_the_rest_of_a_minimum_hold_of_who_reads) {
    read("me:1");
    set_read_count("me:1", 2);
    EXPECT_EQ(release_to_keep("me:1"), "1") << "told nobody of those who listen, who are none";
    EXPECT_EQ(state(), (words{"orders {mode=read me:0=1} 50s", alive("me:0", 1, "50s")}));
    EXPECT_EQ(release_to_keep("me:1"), "0") << "a repeat";
    EXPECT_EQ(read("you:1"), "nil");
    EXPECT_EQ(release("you:1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=read me:0=1} 50s", alive("me:0", 1, "50s")}));
    EXPECT_EQ(write("you:1:write"), "50s");
    EXPECT_EQ(force("read"), "1");
    EXPECT_EQ(state(), words{});
}

TEST_P(read_write_script, keeps_the_later_of_two_minimum_holds_of_readers) {
    read("you:1", "", "200000");
    read("me:1");
    command({"SET", key("me:0", 1), "1", "PX", "80000"});
    command({"HSET", "orders", "me:0", "1"});
    listener ear(server());
    EXPECT_EQ(release_to_keep("me:1"), "1");
    EXPECT_EQ(ear.heard(), words{}) << "the lease is another reader's";
    EXPECT_EQ(state(),
              (words{"orders {mode=read you:1=1 me:0=1} 200s", alive("me:0", 1, "80s"), alive("you:1", 1, "200s")}));
}

TEST_P(read_write_script, keeps_what_was_read_for_longer_than_any_lease_of_the_readers) {
    read("you:1", "", "40000");
    read("me:1", "", "20000");
    EXPECT_EQ(release_to_keep("me:1"), "1");
    EXPECT_EQ(state(),
              (words{"orders {mode=read you:1=1 me:0=1} 50s", alive("me:0", 1, "50s"), alive("you:1", 1, "40s")}));
}

TEST_P(read_write_script, keeps_writers_out_where_who_writes_goes_on_reading) {
    write("me:1:write");
    read("me:1", "me:1:write", "20000");
    EXPECT_EQ(release_to_keep("me:1:write"), "1");
    EXPECT_EQ(state(),
              (words{"orders {mode=read me:1=1 me:0=1} 50s", alive("me:0", 1, "50s"), alive("me:1", 1, "20s")}));
    EXPECT_EQ(read("you:1"), "nil");
}

TEST_P(read_write_script, keeps_readers_out_where_who_writes_has_kept_what_it_read) {
    write("me:1:write");
    read("me:1", "me:1:write");
    EXPECT_EQ(release_to_keep("me:1"), "1") << "it goes on writing";
    EXPECT_EQ(state(), (words{"orders {mode=write me:1:write=1 me:0=1} 100s", alive("me:0", 1, "50s")}));
    EXPECT_EQ(release_to_keep("me:1:write"), "1");
    EXPECT_EQ(read("you:1"), "50s");
}

TEST_P(read_write_script, gives_no_expiry_to_what_has_none) {
    write("me:1:write");
    read("me:1", "me:1:write");
    command({"PERSIST", "orders"});
    EXPECT_EQ(release_to_keep("me:1"), "1");
    EXPECT_EQ(state(), (words{"orders {mode=write me:1:write=1 me:0=1} no expiry", alive("me:0", 1, "50s")}));
}

TEST_P(read_write_script, ends_by_force_the_half_that_is_meant) {
    EXPECT_EQ(force("read"), "0");
    EXPECT_EQ(force("write"), "0");
    read("me:1");
    set_read_count("me:1", 2);
    read("you:1");
    EXPECT_EQ(force("write"), "0");
    listener ear(server());
    EXPECT_EQ(force("read"), "1");
    EXPECT_EQ(state(), words{}) << "no key stays behind";
    write("me:1:write");
    read("me:2", "me:1:write");
    EXPECT_EQ(force("read"), "0");
    EXPECT_EQ(force("write"), "1");
    EXPECT_EQ(state(), words{});
    EXPECT_EQ(ear.heard(), (words{"channel 0", "channel 1"}));
}

TEST_P(read_write_script, finds_a_lock_of_another_kind_busy_and_another_type_wrong) {
    command({"HSET", "orders", "me:1", "1"});
    EXPECT_EQ(read("you:1"), "-1");
    EXPECT_EQ(write("you:1:write"), "-1");
    EXPECT_EQ(force("read"), "0");
    EXPECT_EQ(state(), words{"orders {me:1=1} no expiry"});
    command({"SET", "orders", "x"});
    EXPECT_EQ(read("you:1"), "!WRONGTYPE");
    EXPECT_EQ(write("you:1:write"), "!WRONGTYPE");
    EXPECT_EQ(set_read_count("you:1", 2), "!WRONGTYPE");
    EXPECT_EQ(release("you:1"), "!WRONGTYPE");
    EXPECT_EQ(force("write"), "!WRONGTYPE");
    EXPECT_EQ(state(), words{"orders x no expiry"});
}

TEST_P(read_write_script, leaves_nothing_without_a_lease_and_says_what_this_user_may_not_do) {
    auto no_lease = restricted({"-pexpire"});
    EXPECT_EQ(shown(call(no_lease, write_acquire, {"orders"}, {"100000", "me:1:write"})).front(), '!');
    EXPECT_EQ(state(), words{});
    EXPECT_EQ(shown(call(no_lease, read_acquire, {"orders", "{orders}:"}, {"100000", "me:1", ""})).front(), '!');
    EXPECT_EQ(state(), words{alive("me:1", 1)}) << "which ends by itself";
    read("me:1");
    auto no_end = restricted({"-del"});
    write("she:1:write");
    auto const before = state();
    EXPECT_EQ(
        shown(call(no_end, read_write_release, {"orders", "{orders}:"}, {"me:1", "PUBLISH", "channel", "0"})).front(),
        '!');
    EXPECT_EQ(state(), before);
    auto silent = restricted({"-publish"});
    EXPECT_EQ(shown(call(silent, read_write_release, {"orders", "{orders}:"}, {"me:1", "PUBLISH", "channel", "0"})),
              "-1");
    EXPECT_EQ(state(), words{});
    write("me:1:write");
    EXPECT_EQ(
        shown(call(silent, read_write_force_release, {"orders", "{orders}:"}, {"write", "PUBLISH", "channel", "1"})),
        "2");
}

} // namespace
} // namespace redlatch::test
