// What a permit semaphore promises.
#include "behaviour/permit_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <stop_token>
#include <thread>

namespace redlatch::test {
namespace {

class permit_semaphore_test : public permit_fixture {};

// --- acquire and release

TEST_F(permit_semaphore_test, has_no_permits_until_it_is_set) {
    EXPECT_EQ(mine.available_permits(), 0);
    EXPECT_EQ(mine.get_permits(), 0);
    EXPECT_FALSE(mine.try_acquire());
    EXPECT_TRUE(mine.try_set_permits(3));
    EXPECT_FALSE(theirs.try_set_permits(5)) << "it is set";
    EXPECT_EQ(theirs.available_permits(), 3);
}

TEST_F(permit_semaphore_test, gives_permits_with_ids_and_takes_them_back_at_the_end_of_the_scope) {
    mine.try_set_permits(3);
    {
        permits const two = mine.acquire({.permits = 2, .lease = 60s});
        EXPECT_TRUE(two);
        EXPECT_EQ(two.status(), hold_status::held);
        EXPECT_EQ(two.semaphore_name(), name);
        auto const ids = two.ids();
        ASSERT_EQ(ids.size(), 2U);
        EXPECT_NE(ids[0], ids[1]);
        for (auto const& id : ids) {
            EXPECT_EQ(id.size(), 32U);
            EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
        }
        auto const left = two.valid_until() - lease_clock::now();
        EXPECT_LT(left, 60s);
        EXPECT_GT(left, 50s);
        EXPECT_EQ(value(), "1");
        EXPECT_EQ(taken(), 2);
        EXPECT_EQ(theirs.acquired_permits(), 2);
        EXPECT_EQ(theirs.get_permits(), 3);
        EXPECT_FALSE(theirs.try_acquire({.permits = 2}));
    }
    EXPECT_EQ(value(), "3");
    EXPECT_FALSE(exists(timeouts()));
}

TEST_F(permit_semaphore_test, keeps_a_permit_without_a_lease_until_it_is_released) {
    mine.try_set_permits(1);
    permits one = mine.acquire();
    EXPECT_EQ(one.valid_until(), lease_clock::time_point::max());
    EXPECT_EQ(theirs.lease_of(one.ids().front()), duration::max());
    EXPECT_EQ(server.run("ZRANGE", timeouts(), "0", "-1", "WITHSCORES").items.at(1).text, "922337203685477")
        << "as Redisson says never";
    one.release();
    EXPECT_EQ(one.status(), hold_status::released);
    one.release();
    EXPECT_EQ(value(), "1");
}

TEST_F(permit_semaphore_test, lets_another_process_release_by_id) {
    mine.try_set_permits(2);
    auto const ids = mine.acquire({.permits = 2, .lease = 60s}).detach();
    ASSERT_EQ(ids.size(), 2U);
    EXPECT_EQ(value(), "0") << "they were not given back";
    theirs.release(ids);
    EXPECT_EQ(value(), "2");
    EXPECT_FALSE(theirs.try_release(ids));
    EXPECT_EQ(value(), "2");
}

TEST_F(permit_semaphore_test, says_which_permit_is_not_there_and_releases_none) {
    mine.try_set_permits(2);
    auto const first = mine.acquire().detach().front();
    auto const second = mine.acquire().detach().front();
    theirs.release(second);
    auto const said = outcome_of([&] { mine.release(std::vector{first, second}); });
    EXPECT_EQ(said.reason, errc::not_owner);
    for (auto const& part : {second, name, std::string("released already, or its lease is over")})
        EXPECT_NE(said.message.find(part), std::string::npos) << said.message;
    EXPECT_EQ(said.message.find(first), std::string::npos) << said.message;
    EXPECT_EQ(value(), "1") << "all or none";
    EXPECT_FALSE(mine.try_release({first, second}));
    EXPECT_EQ(outcome_of([&] { mine.release(std::string(32, 'a')); }).reason, errc::not_owner) << "nobody had it";
    EXPECT_TRUE(mine.try_release(first));
    EXPECT_EQ(value(), "2");
}

TEST_F(permit_semaphore_test, says_that_a_permit_is_lost_whose_id_somebody_else_has_released) {
    mine.try_set_permits(2);
    permits two = mine.acquire({.permits = 2});
    theirs.release(two.ids().front());
    EXPECT_EQ(outcome_of([&] { two.release(); }).reason, errc::lease_lost);
    EXPECT_TRUE(becomes("2")) << "the other one comes back";
}

TEST_F(permit_semaphore_test, gets_a_permit_back_whose_lease_is_over) {
    mine.try_set_permits(1);
    permits gone = mine.acquire({.lease = 100ms});
    permits const next = theirs.acquire({.lease = 60s, .wait = 20s}); // nobody releases
    EXPECT_TRUE(next);
    EXPECT_EQ(gone.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { gone.release(); }).reason, errc::lease_lost);
    EXPECT_EQ(value(), "0") << "it is not given back for somebody else";
    EXPECT_EQ(mine.get_permits(), 1);
}

TEST_F(permit_semaphore_test, counts_permits_as_free_again_when_their_leases_are_over) {
    mine.try_set_permits(3);
    auto const timed = mine.acquire({.permits = 2, .lease = 300ms}).detach();
    permits const kept = mine.acquire();
    EXPECT_TRUE(wait_until([&] { return theirs.available_permits() == 2; })) << "nobody acquires or releases";
    EXPECT_EQ(theirs.acquired_permits(), 1);
    EXPECT_EQ(theirs.get_permits(), 3);
    EXPECT_EQ(taken(), 1);
    EXPECT_FALSE(theirs.try_release(timed));
    EXPECT_EQ(outcome_of([&] { theirs.release(timed); }).reason, errc::not_owner);
    EXPECT_FALSE(theirs.try_release({kept.ids().front(), timed.front()}));
    EXPECT_FALSE(theirs.update_lease(timed.front(), 60s));
    EXPECT_EQ(theirs.lease_of(timed.front()), std::nullopt);
    EXPECT_EQ(value(), "2") << "they come back once";
}

TEST_F(permit_semaphore_test, sets_a_lease_anew_by_id) {
    mine.try_set_permits(2);
    permits const one = mine.acquire({.lease = 60s});
    auto const id = one.ids().front();
    EXPECT_TRUE(theirs.update_lease(id, 600s));
    ASSERT_TRUE(theirs.lease_of(id));
    EXPECT_GT(*theirs.lease_of(id), 500s);
    EXPECT_LE(*theirs.lease_of(id), 600s);
    EXPECT_TRUE(theirs.update_lease(id, std::nullopt));
    EXPECT_EQ(theirs.lease_of(id), duration::max());
    EXPECT_TRUE(theirs.update_lease(id, 10s));
    EXPECT_LE(*theirs.lease_of(id), 10s);
    std::string const unknown(32, 'a');
    EXPECT_FALSE(theirs.update_lease(unknown, 1s));
    EXPECT_FALSE(theirs.lease_of(unknown));
    EXPECT_EQ(mine.acquired_permits(), 1);
}

TEST_F(permit_semaphore_test, a_lease_that_was_shortened_is_not_slept_through) {
    mine.try_set_permits(1);
    auto const id = mine.acquire().detach().front();
    auto waiting = in_thread([&] { return mine.acquire({.wait = 60s}); });
    ASSERT_TRUE(wait_until([&] { return user.stats().subscriptions == 1 && somebody_listens(channel()); }));
    auto const began = test_clock::now();
    EXPECT_TRUE(theirs.update_lease(id, 1s));
    EXPECT_TRUE(waiting.get());
    EXPECT_LT(since(began), 10s);
}

TEST_F(permit_semaphore_test, shows_what_there_is_and_changes_nothing) {
    auto const nothing = mine.inspect();
    EXPECT_EQ(nothing.name, name);
    EXPECT_FALSE(nothing.is_set);
    EXPECT_EQ(nothing.permits, 0);
    EXPECT_TRUE(nothing.leases.empty());
    mine.try_set_permits(5);
    permits const for_ever = mine.acquire();
    permits const leased = mine.acquire({.permits = 2, .lease = 60s});
    (void)mine.acquire({.lease = 200ms}).detach();
    ASSERT_TRUE(wait_until([&] { return theirs.inspect().taken == 3; })) << "one is over";
    EXPECT_EQ(value(), "1") << "and still to be given back by whoever asks next";
    permit_info const seen = theirs.inspect();
    EXPECT_TRUE(seen.is_set);
    EXPECT_EQ(seen.permits, 5);
    EXPECT_EQ(seen.available, 2);
    EXPECT_EQ(seen.taken, 3);
    ASSERT_EQ(seen.leases.size(), 3U);
    auto const ids = leased.ids();
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(std::count(ids.begin(), ids.end(), seen.leases[i].id) == 1) << seen.leases[i].id;
        EXPECT_GT(seen.leases[i].remaining_lease.value_or(0ms), 30s);
        EXPECT_LE(seen.leases[i].remaining_lease.value_or(0ms), 60s);
    }
    EXPECT_EQ(seen.leases[2].id, for_ever.ids().front());
    EXPECT_FALSE(seen.leases[2].remaining_lease);
    mine.set_permits(1);
    EXPECT_EQ(theirs.inspect().available, -2);
    EXPECT_EQ(theirs.inspect().permits, 1);
}

TEST_F(permit_semaphore_test, is_found_by_its_name_when_permits_are_taken) {
    auto const names_of = [&](std::string_view pattern) {
        std::vector<std::string> names;
        other.visit_permit_semaphores(pattern, [&](std::vector<permit_info> const& found) {
            for (auto const& one : found) names.push_back(one.name + " " + std::to_string(one.taken));
        });
        std::sort(names.begin(), names.end());
        return names;
    };
    using found = std::vector<std::string>;
    mine.try_set_permits(3);
    EXPECT_EQ(names_of("*"), found()) << "a number like any other";
    permits const two = mine.acquire({.permits = 2, .lease = 60s});
    auto tagged = user.get_permit_semaphore("a{b}c");
    tagged.try_set_permits(1);
    permits one = tagged.acquire();
    EXPECT_EQ(names_of("*"), (found{"a{b}c 1", name + " 2"}));
    EXPECT_EQ(names_of(name), found{name + " 2"});
    EXPECT_EQ(names_of("a*"), found{"a{b}c 1"});
    EXPECT_EQ(names_of("b*"), found()) << "it is not called so";
    one.release();
    EXPECT_EQ(names_of("a*"), found());
    tagged.remove();
    server.run("DEL", name); // what is left beside it is no semaphore
    EXPECT_EQ(names_of("*"), found());
    EXPECT_EQ(outcome_of([&] { other.visit_permit_semaphores("*", {}); }).reason, errc::invalid_argument);
}

TEST_F(permit_semaphore_test, is_found_once_among_thousands_of_keys) {
    for (int i = 0; i < 3000; ++i) server.run("ZADD", "{" + std::to_string(i) + "}:timeout", "1", "no id");
    mine.try_set_permits(1);
    permits const one = mine.acquire();
    int times = 0;
    other.visit_permit_semaphores("*", [&](std::vector<permit_info> const& found) {
        for (auto const& each : found) times += each.name == name ? 1 : 1000;
    });
    EXPECT_EQ(times, 1);
    server.run("FLUSHALL");
}

TEST_F(permit_semaphore_test, can_have_more_permits_and_fewer_and_none) {
    mine.set_permits(3);
    EXPECT_EQ(mine.available_permits(), 3);
    permits two = mine.acquire({.permits = 2});
    mine.set_permits(1);
    EXPECT_EQ(mine.available_permits(), -1);
    EXPECT_EQ(mine.get_permits(), 1);
    mine.add_permits(3);
    EXPECT_EQ(mine.available_permits(), 2);
    EXPECT_TRUE(mine.remove());
    EXPECT_FALSE(mine.remove());
    EXPECT_FALSE(exists(name));
    EXPECT_FALSE(exists(timeouts()));
    EXPECT_EQ(outcome_of([&] { two.release(); }).reason, errc::lease_lost);
    expect_idle(user);
    EXPECT_FALSE(exists(name)) << "it is not made again";
}

// --- waiting

TEST_F(permit_semaphore_test, wakes_a_waiter_of_another_process_when_there_are_enough) {
    mine.try_set_permits(2);
    permits first = mine.acquire();
    permits second = mine.acquire();
    auto const began = test_clock::now();
    auto waiting = in_thread([&] { return theirs.acquire({.permits = 2, .wait = 20s}); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    first.release();
    EXPECT_FALSE(is_ready(waiting));
    second.release();
    EXPECT_EQ(waiting.get().ids().size(), 2U);
    EXPECT_LT(since(began), 10s) << "it was woken, and did not come back by itself";
}

TEST_F(permit_semaphore_test, wakes_a_waiter_when_it_is_set_or_gets_more) {
    auto waiting = in_thread([&] { return theirs.acquire({.wait = 20s}).detach().size(); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    mine.set_permits(1);
    EXPECT_EQ(waiting.get(), 1U);
    auto another = in_thread([&] { return theirs.acquire({.wait = 20s}).detach().size(); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    mine.add_permits(1);
    EXPECT_EQ(another.get(), 1U);
}

TEST_F(permit_semaphore_test, ends_waits_at_deadlines_by_cancellation_and_with_the_client) {
    mine.try_set_permits(1);
    permits const all = mine.acquire();
    EXPECT_EQ(outcome_of([&] { (void)theirs.acquire({.wait = 1s}); }).reason, errc::timed_out);
    EXPECT_EQ(outcome_of([&] { (void)theirs.acquire({.wait = 0s}); }).reason, errc::busy);
    std::error_code ec;
    EXPECT_FALSE(theirs.try_acquire({.wait = 50ms}, ec));
    EXPECT_TRUE(in_vain(ec)) << ec.message();
    std::stop_source stop;
    auto waiting = in_thread([&] { return outcome_of([&] { (void)theirs.acquire({.stop = stop.get_token()}); }); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    stop.request_stop();
    EXPECT_EQ(waiting.get().reason, errc::cancelled);
    auto closing = in_thread([&] { return outcome_of([&] { (void)theirs.acquire(); }); });
    ASSERT_TRUE(wait_until([&] { return other.stats().waiters == 1; }));
    other.close();
    EXPECT_EQ(closing.get().reason, errc::closed);
    EXPECT_EQ(value(), "0");
}

TEST_F(permit_semaphore_test, lets_nobody_in_beyond_its_permits_and_loses_none) {
    constexpr int in_all = 3;
    mine.try_set_permits(in_all);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::vector<std::future<void>> crowd;
    for (int i = 0; i < 8; ++i)
        crowd.push_back(in_thread([&, i] {
            auto& which = i % 2 == 0 ? mine : theirs;
            for (int round = 0; round < 20; ++round) {
                int const wanted = 1 + (i + round) % in_all;
                permits const got = which.acquire({.permits = wanted, .lease = 60s, .wait = 20s});
                auto const now = inside += wanted;
                for (auto seen = most.load(); now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                inside -= wanted;
            }
        }));
    for (auto& one : crowd) one.get();
    EXPECT_LE(most, in_all);
    EXPECT_EQ(value(), std::to_string(in_all));
    EXPECT_EQ(taken(), 0);
}

TEST_F(permit_semaphore_test, keeps_no_permits_of_a_client_that_closes_while_it_asks) {
    constexpr int in_all = 1000;
    constexpr int waiting = 50;
    for (int round = 0; round < 10; ++round) {
        SCOPED_TRACE(round);
        server.run("DEL", timeouts());
        server.run("SET", name, std::to_string(in_all));
        client brief(settings(server.uri()));
        auto from = brief.get_permit_semaphore(name);
        std::atomic<int> told{0};
        std::atomic<int> got{0};
        for (int i = 0; i < waiting; ++i)
            from.async_acquire({}, {}, [&](std::error_code ec, permits all) {
                got += static_cast<int>(all.detach().size());
                EXPECT_EQ(!ec, static_cast<bool>(all.status() == hold_status::released));
                ++told;
            });
        ASSERT_TRUE(wait_until([&] { return told >= round; })); // at another moment each time
        brief.close();
        ASSERT_TRUE(wait_until([&] { return told == waiting; }));
        EXPECT_EQ(value(), std::to_string(in_all - got));
        EXPECT_EQ(taken(), got);
    }
}

// --- handlers

TEST_F(permit_semaphore_test, does_all_of_it_with_handlers) {
    std::promise<std::error_code> set;
    mine.async_set_permits(2, {}, [&](std::error_code ec) { set.set_value(ec); });
    EXPECT_EQ(set.get_future().get(), std::error_code());
    std::promise<permits> taken_two;
    mine.async_acquire({.permits = 2, .lease = 60s}, {},
                       [&](std::error_code, permits got) { taken_two.set_value(std::move(got)); });
    permits two = taken_two.get_future().get();
    ASSERT_TRUE(two);
    std::promise<std::pair<std::error_code, bool>> refused;
    mine.async_try_acquire({}, {}, [&](std::error_code ec, std::optional<permits> const& got) {
        refused.set_value({ec, got.has_value()});
    });
    EXPECT_EQ(refused.get_future().get(), (std::pair{std::error_code(), false})) << "no is an answer";
    std::promise<std::size_t> waited;
    theirs.async_acquire({.permits = 2, .wait = 20s}, {},
                         [&](std::error_code, permits got) { waited.set_value(got.detach().size()); });
    ASSERT_TRUE(wait_until([&] { return somebody_listens(channel()); }));
    auto const id = two.ids().front();
    std::promise<bool> updated;
    mine.async_update_lease(id, 600s, {}, [&](std::error_code ec, bool done) { updated.set_value(!ec && done); });
    EXPECT_TRUE(updated.get_future().get());
    std::promise<std::optional<duration>> lease;
    mine.async_lease_of(id, {}, [&](std::error_code, std::optional<duration> left) { lease.set_value(left); });
    EXPECT_GT(lease.get_future().get().value_or(0ms), 500s);
    std::promise<std::int64_t> in_all;
    mine.async_get_permits({}, [&](std::error_code, std::int64_t count) { in_all.set_value(count); });
    EXPECT_EQ(in_all.get_future().get(), 2);
    std::promise<permit_info> seen;
    mine.async_inspect({}, [&](std::error_code, permit_info const& info) { seen.set_value(info); });
    EXPECT_EQ(seen.get_future().get().leases.size(), 2U);
    std::promise<std::int64_t> held;
    mine.async_acquired_permits({}, [&](std::error_code, std::int64_t count) { held.set_value(count); });
    EXPECT_EQ(held.get_future().get(), 2);
    std::promise<std::error_code> released;
    two.async_release({}, [&](std::error_code ec) { released.set_value(ec); });
    EXPECT_EQ(released.get_future().get(), std::error_code());
    EXPECT_EQ(waited.get_future().get(), 2U);
    completion_ptr<> unused;
    auto const nothing = permits().start_release(unused);
    ASSERT_TRUE(nothing) << "where there are none, the release is over at once";
    EXPECT_FALSE(nothing->failed());
    std::promise<std::error_code> by_id;
    mine.async_release({id}, {}, [&](std::error_code ec) { by_id.set_value(ec); });
    EXPECT_EQ(by_id.get_future().get(), errc::not_owner) << "it was released already";
    std::promise<std::pair<std::error_code, bool>> tried;
    mine.async_try_release({id}, {}, [&](std::error_code ec, bool done) { tried.set_value({ec, done}); });
    EXPECT_EQ(tried.get_future().get(), (std::pair{std::error_code(), false})) << "no is an answer";
    std::promise<std::error_code> malformed;
    mine.async_release({"x"}, {}, [&](std::error_code ec) { malformed.set_value(ec); });
    EXPECT_EQ(malformed.get_future().get(), errc::invalid_argument) << "told, not thrown";
}

// --- bad input

TEST_F(permit_semaphore_test, refuses_a_call_without_a_handler_at_once) {
    mine.try_set_permits(1);
    auto const refused = [](auto&& call) { return outcome_of(call).reason; };
    std::string const id(32, '0');
    EXPECT_EQ(refused([&] { mine.async_acquire({}, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_try_acquire({}, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_release({id}, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_try_release({id}, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_update_lease(id, 1s, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_lease_of(id, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_get_permits({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_acquired_permits({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_inspect({}, {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { mine.async_set_permits(2, {}, {}); }), errc::invalid_argument);
    EXPECT_EQ(mine.available_permits(), 1) << "nothing was started";
}

TEST_F(permit_semaphore_test, says_by_a_code_that_there_was_a_permit_or_none) {
    mine.try_set_permits(1);
    std::error_code ec = std::make_error_code(std::errc::interrupted);
    auto const taken = mine.try_acquire({.lease = 60s}, ec);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->ids().size(), 1U);
    EXPECT_FALSE(ec) << "what was there before is overwritten";
    EXPECT_FALSE(mine.try_acquire({}, ec));
    EXPECT_EQ(ec, errc::busy);
}

TEST_F(permit_semaphore_test, says_what_is_wrong_and_changes_nothing) {
    mine.try_set_permits(1);
    for (int const count : {0, -1, 1001}) {
        auto const said = outcome_of([&] { (void)mine.acquire({.permits = count}); });
        EXPECT_EQ(said.reason, errc::invalid_argument);
        EXPECT_NE(said.message.find("not " + std::to_string(count)), std::string::npos) << said.message;
    }
    EXPECT_EQ(outcome_of([&] { (void)mine.acquire({.wait = -1s}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { (void)mine.acquire({.lease = 0s}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { mine.set_permits(-1); }).reason, errc::invalid_argument);
    std::string const id(32, '0');
    for (std::string const& bad : {std::string(), std::string("abc"), std::string(31, '0'), std::string(33, '0'),
                                   std::string(32, 'g'), std::string(31, '0') + '\n'}) {
        auto const said = outcome_of([&] { mine.release(bad); });
        EXPECT_EQ(said.reason, errc::invalid_argument) << bad;
        EXPECT_NE(said.message.find("32 hexadecimal characters"), std::string::npos) << said.message;
        EXPECT_EQ(outcome_of([&] { mine.update_lease(bad, 1s); }).reason, errc::invalid_argument);
        EXPECT_EQ(outcome_of([&] { (void)mine.lease_of(bad); }).reason, errc::invalid_argument);
    }
    EXPECT_EQ(outcome_of([&] { mine.release(std::vector<std::string>{}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { mine.release(std::vector{id, id}); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { mine.update_lease(id, 0s); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { user.get_permit_semaphore(""); }).reason, errc::bad_name);
    EXPECT_EQ(value(), "1");
    auto moved = std::move(mine);
    EXPECT_EQ(outcome_of([&] { mine.release(id); }).reason, errc::invalid_argument); // NOLINT(bugprone-use-after-move)
    std::error_code ec;
    EXPECT_FALSE(mine.try_acquire({}, ec));
    EXPECT_EQ(ec, errc::invalid_argument);
    EXPECT_EQ(moved.available_permits(), 1);
}

TEST_F(permit_semaphore_test, takes_as_many_at_once_as_are_allowed) {
    mine.try_set_permits(1000);
    permits all = mine.acquire({.permits = 1000, .lease = 60s});
    EXPECT_EQ(value(), "0");
    auto const ids = all.detach();
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 1000U);
    theirs.release(ids);
    EXPECT_EQ(value(), "1000");
}

TEST_F(permit_semaphore_test, refuses_names_that_something_else_has) {
    std::string const id(32, '0');
    auto const expect_refused = [&] {
        for (auto const& said :
             {outcome_of([&] { (void)mine.acquire({.wait = 20s}); }), outcome_of([&] { mine.release(id); }),
              outcome_of([&] { mine.available_permits(); }), outcome_of([&] { (void)mine.inspect(); }),
              outcome_of([&] { (void)mine.lease_of(id); }), outcome_of([&] { mine.update_lease(id, 1s); }),
              outcome_of([&] { mine.set_permits(2); }), outcome_of([&] { mine.remove(); })}) {
            EXPECT_EQ(said.reason, errc::wrong_type);
            EXPECT_NE(said.message.find("is not a permit semaphore"), std::string::npos) << said.message;
        }
    };
    server.run("HSET", name, "me:1", "1");
    expect_refused();
    server.run("DEL", name);
    server.run("SET", name, "many");
    expect_refused();
    server.run("SET", name, "1");
    server.run("SET", timeouts(), "soon");
    expect_refused();
    EXPECT_NE(outcome_of([&] { (void)mine.acquire(); }).message.find(timeouts()), std::string::npos);
    EXPECT_EQ(value(), "1");
}

} // namespace
} // namespace redlatch::test
