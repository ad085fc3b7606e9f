// Each kind of ours beside the same kind of Redisson's while the keys come to another node: through a failover behind
// Sentinels, when a master of a cluster is lost, and with a slot that moves. Who had something has it still, and wakes
// who waits on the other side.
#include "behaviour/kinds.hpp"
#include "interop_test.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"

#include <functional>
#include <list>

namespace redlatch::test {
namespace {

using namespace std::chrono_literals;

/// A failover takes a few seconds, and Redisson some more to find the new master.
constexpr auto longest_wait = 2 * std::chrono::milliseconds(sentinel_set::longest_failover);

/// Of each kind two things: C++ has one of them, Java the other one, for which C++ waits.
class both_sides {
public:
    /// All names begin with `prefix`, but for that of the latch: in a cluster Redisson's cannot have a hash tag in it, for it
    /// names its channel as a key, which is of another slot.
    both_sides(client& user, java_peer& java, std::string prefix, std::string latch)
        : user_(user), java_(java), prefix_(std::move(prefix)), latch_(std::move(latch)) {}

    void take_everything() {
        for (auto const& kind : lock_kinds) take(kind);
        take_read_locks();
        take_permits();
        EXPECT_TRUE(wait_until([&] { return user_.stats().waiters == waiting_; })) << "C++ waits for all that Java has";
    }
    /// After the change.
    void expect_all_to_be_kept_and_handed_on() {
        for (auto& one : ours_) {
            SCOPED_TRACE("a lock that C++ has, " + one.java_kind);
            EXPECT_EQ(one.held.status(), hold_status::held);
            expect_java(one.java_kind + "/tryLock", {one.name}, "false");
            one.held.release();
            expect_java(one.java_kind + "/tryLock", {one.name}, "true");
            expect_java(one.java_kind + "/unlock", {one.name});
        }
        for (auto& one : javas_) {
            SCOPED_TRACE("what Java has, " + one.words.front());
            EXPECT_NE(one.waiter.wait_for(0s), std::future_status::ready) << "C++ took what Java has";
            expect_java(one.words.front(), {one.words.begin() + 1, one.words.end()});
            EXPECT_EQ(one.waiter.wait_for(longest_wait), std::future_status::ready);
            EXPECT_NO_THROW(one.waiter.get());
        }
    }

private:
    struct of_cpp {
        std::string java_kind;
        std::string name;
        hold held;
    };
    struct of_java {
        java_peer::words words; ///< by which it gives that back
        std::future<void> waiter;
    };

    std::string name(std::string const& what) const { return prefix_ + ": " + what; }

    /// Retried: Redisson may know the former node still.
    void expect_java(std::string const& command, java_peer::words const& arguments, std::string const& value = {}) {
        java_peer::reply last;
        EXPECT_TRUE(wait_until(
            [&] {
                last = java_.ask("a", command, arguments);
                return last.ok && (value.empty() || last.value == value);
            },
            longest_wait))
            << command << ": " << last.exception_class << " " << last.value;
    }
    template <class Wait> void javas(java_peer::words words, Wait wait) {
        javas_.push_back({std::move(words), std::async(std::launch::async, wait)});
        ++waiting_;
    }

    void take(lock_kind const& kind) {
        auto const java_kind = std::string(kind.to_redisson.empty() ? kind.name : kind.to_redisson);
        auto const of_ours = name(std::string(kind.name) + " of C++");
        auto const of_theirs = name(std::string(kind.name) + " of Java");
        ours_.push_back({java_kind, of_ours, kind.get(user_, of_ours).acquire({.owner = owner()})});
        java_.value("a", java_kind + "/lock", {of_theirs});
        javas({java_kind + "/unlock", of_theirs}, [lock = kind.get(user_, of_theirs)]() mutable {
            lock.acquire({.wait = longest_wait, .owner = owner()}).release();
        });
    }
    void take_read_locks() {
        auto const of_ours = name("read of C++");
        auto const of_theirs = name("read of Java");
        any_lock reads = user_.get_read_write_lock(of_ours).read_lock();
        ours_.push_back({"write", of_ours, reads.acquire({.owner = owner()})});
        java_.value("a", "read/lock", {of_theirs});
        javas({"read/unlock", of_theirs},
              [lock = any_lock(user_.get_read_write_lock(of_theirs).write_lock())]() mutable {
                  lock.acquire({.wait = longest_wait, .owner = owner()}).release();
              });
    }
    void take_permits() {
        auto const one = name("semaphore");
        auto counter = user_.get_semaphore(one, {.exactly_once = true});
        EXPECT_TRUE(counter.try_set_permits(1));
        java_.value("a", "semaphore/acquire", {one, "1"});
        javas({"semaphore/release", one, "1"}, [counter]() mutable { counter.acquire({.wait = longest_wait}); });

        auto const other = name("permit semaphore");
        auto named = user_.get_permit_semaphore(other, {.exactly_once = true});
        EXPECT_TRUE(named.try_set_permits(1));
        auto const id = java_.value("a", "permits/acquire", {other, "1", "0"});
        javas({"permits/release", other, id}, [named]() mutable { named.acquire({.wait = longest_wait}).release(); });

        auto latch = user_.get_count_down_latch(latch_, {.exactly_once = true});
        EXPECT_TRUE(latch.try_set_count(1));
        javas({"latch/countDown", latch_}, [latch]() mutable { latch.wait(); });
    }

    client& user_;
    java_peer& java_;
    std::string const prefix_;
    std::string const latch_;
    std::list<of_cpp> ours_;
    std::list<of_java> javas_;
    std::uint64_t waiting_ = 0;
};

struct change_of_node : interop_test {
    /// `change()`: from when on all keys are on another node. The names are those of both_sides.
    template <class Change>
    void expect_all_to_be_kept_through(std::string const& uri, std::string prefix, std::string latch, Change change) {
        client user{config{.address = uri}};
        java_peer other_side{built_peer().folder, uri, 30s};
        both_sides both(user, other_side, std::move(prefix), std::move(latch));
        both.take_everything();
        change();
        both.expect_all_to_be_kept_and_handed_on();
    }
};

TEST_F(change_of_node, by_a_failover_behind_sentinels_keeps_what_both_sides_have) {
    sentinel_set all;
    expect_all_to_be_kept_through(all.uri(), name, name + ": latch", [&] {
        EXPECT_TRUE(wait_until([&] { return all.servers().has_replicated(0); }));
        EXPECT_NE(all.fail_over(), 0U);
    });
}

TEST_F(change_of_node, by_a_lost_master_of_a_cluster_keeps_what_both_sides_have) {
    redis_cluster cluster{3, 1};
    auto const tag = cluster.name_on(0);
    expect_all_to_be_kept_through(cluster.uri(), "{" + tag + "}", tag, [&] {
        EXPECT_TRUE(wait_until([&] { return cluster.has_replicated(0); }));
        cluster.lose(0);
    });
}

TEST_F(change_of_node, by_a_slot_that_moves_keeps_what_both_sides_have) {
    redis_cluster cluster{3, 0};
    auto const tag = cluster.name_on(0);
    expect_all_to_be_kept_through(cluster.uri(), "{" + tag + "}", tag, [&] {
        auto const slot = redis_cluster::slot_of(tag);
        cluster.begin_move(slot, 0, 1);
        cluster.move_keys(slot, 0, 1);
        cluster.end_move(slot, 0, 1);
    });
}

} // namespace
} // namespace redlatch::test
