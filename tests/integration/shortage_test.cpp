// What is left when memory, a thread, or a descriptor was missing at one moment, whichever: nothing that is held, waited for or
// renewed by nobody, and a client that goes on.
#include "integration/faults.hpp"
#include "integration/fixture.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>

namespace redlatch::test {
namespace {

using faults::resource;

/// What a scenario works with. Its calls may throw what they like; what they have acquired they let go of.
struct stage {
    client& user;
    client& other;
    std::string lock;
    std::function<bool(std::string const&)> somebody_waits;
};

void alone(stage const& on) {
    auto lock = on.user.get_lock(on.lock);
    lock.acquire().release();
    lock.lock();
    lock.unlock();
    auto const fixed = lock.acquire({.lease = 10s});
}

void re_entered(stage const& on) {
    auto lock = on.user.get_lock(on.lock);
    auto outer = lock.acquire();
    auto inner = lock.try_acquire();
    outer.release();
    std::error_code ec;
    if (inner) inner->release(ec);
}

void asked(stage const& on) {
    auto lock = on.user.get_lock(on.lock);
    auto const held = lock.try_acquire();
    static_cast<void>(lock.is_locked());
    static_cast<void>(lock.remaining_lease());
    static_cast<void>(lock.inspect());
    static_cast<void>(on.user.ping());
    static_cast<void>(on.user.list_locks());
    static_cast<void>(held->lost());
    static_cast<void>(lock.current_hold().owner_id());
}

/// Ends the other one's hold when somebody waits for it, or has given up.
class blocker {
public:
    explicit blocker(stage const& on, hold held) : held_(std::move(held)) {
        faults::exemption const own;
        thread_ = std::thread([this, waits = on.somebody_waits] {
            faults::exemption const too;
            wait_until([&] { return gone_ || waits(held_.lock_name()); });
            std::error_code ec;
            held_.release(ec);
        });
    }
    ~blocker() {
        gone_ = true;
        thread_.join();
    }

private:
    hold held_;
    std::atomic<bool> gone_{false};
    std::thread thread_;
};

hold taken_by_another(stage const& on, client& by, std::string const& more = {}) {
    faults::exemption const own;
    return by.get_lock(on.lock + more).acquire({.owner = owner()});
}

void behind_another_client(stage const& on) {
    blocker const theirs(on, taken_by_another(on, on.other));
    auto const mine = on.user.get_lock(on.lock).acquire({.wait = 5s});
}

void behind_another_owner(stage const& on) {
    on.user.get_lock(on.lock + "-before").acquire().release(); // which starts the client's thread
    auto first = taken_by_another(on, on.user);
    std::thread after;
    {
        faults::exemption const own;
        after = std::thread([&] {
            faults::exemption const too;
            wait_until([&] { return on.user.stats().waiters > 0; }, 200ms);
            std::error_code ec;
            first.release(ec);
        });
    }
    try {
        auto const mine = on.user.get_lock(on.lock).acquire({.wait = 5s});
    } catch (...) {
        after.join();
        throw;
    }
    after.join();
}

/// What cannot be done for want of memory is told at once, not when the wait ends.
void expect_to_end_in_time(std::error_code code) {
    faults::exemption const own;
    EXPECT_NE(code, errc::timed_out);
}

void several(stage const& on) {
    multi_lock both({on.user.get_lock(on.lock), on.user.get_lock(on.lock + "-second")});
    std::error_code code;
    auto const mine = both.acquire({.wait = 5s}, code);
    expect_to_end_in_time(code);
}

/// The one that was not the first to be had ends a round, and the next one comes after a rest.
void several_that_another_client_has(stage const& on) {
    blocker const first(on, taken_by_another(on, on.other));
    blocker const second(on, taken_by_another(on, on.other, "-second"));
    multi_lock both({on.user.get_lock(on.lock), on.user.get_lock(on.lock + "-second")});
    std::error_code code;
    auto const mine = both.acquire({.wait = 5s, .lease = 3ms}, code);
    expect_to_end_in_time(code);
}

void permits_of_a_semaphore(stage const& on) {
    auto all = [&] {
        faults::exemption const own;
        auto made = on.other.get_permit_semaphore(on.lock + "-permits");
        made.try_set_permits(1);
        return made;
    }();
    auto const expect_all_there = [&] {
        faults::exemption const own;
        EXPECT_TRUE(wait_until([&] { return all.available_permits() == 1; })) << "nobody has it";
        EXPECT_TRUE(all.remove());
    };
    try {
        auto mine = on.user.get_permit_semaphore(on.lock + "-permits").acquire({.wait = 5s});
        faults::exemption const own;
        mine.release();
    } catch (...) {
        expect_all_there();
        throw;
    }
    expect_all_there();
}

void asynchronous(stage const& on) {
    auto lock = on.user.get_lock(on.lock);
    auto const answered = std::make_shared<std::atomic<int>>(0);
    lock.async_acquire({.owner = owner()}, {}, [answered](std::error_code, hold) { ++*answered; });
    faults::exemption const own;
    wait_until([&] { return *answered == 1; });
}

void given_back_later(stage const& on) {
    auto lock = on.user.get_lock(on.lock);
    lock.acquire().release_detached();
    auto const answered = std::make_shared<std::atomic<int>>(0);
    lock.acquire().async_release({}, [answered](std::error_code) { ++*answered; });
    faults::exemption const own;
    wait_until([&] { return *answered == 1; });
}

void taken_away(stage const& on) {
    auto lock = on.user.get_lock(on.lock);
    auto const mine = lock.acquire();
    auto const lost = mine.lost();
    if (!lock.force_unlock()) return;
    faults::exemption const own;
    EXPECT_TRUE(wait_until([&] { return lost.stop_requested(); }))
        << "the loss is told although the notifier came late";
}

struct scenario {
    char const* name;
    void (*play)(stage const&);
};
constexpr scenario scenarios[] = {
    {"alone", alone},
    {"re_entered", re_entered},
    {"asked", asked},
    {"behind_another_client", behind_another_client},
    {"behind_another_owner", behind_another_owner},
    {"several", several},
    {"several_that_another_client_has", several_that_another_client_has},
    {"permits_of_a_semaphore", permits_of_a_semaphore},
    {"asynchronous", asynchronous},
    {"given_back_later", given_back_later},
    {"taken_away", taken_away},
};

class shortage_test : public with_server, public ::testing::WithParamInterface<std::tuple<resource, scenario>> {
protected:
    config settings() const {
        auto made = quick(server.uri());
        made.timeout = 3s;                // a machine under load is no shortage
        made.lock_watchdog_timeout = 30s; // what is left behind is not to be excused by the end of its lease
        return made;
    }
    client other{settings()};

    /// False: the number is larger than what the scenario asks for.
    bool play(long number) {
        auto const& [which, what] = GetParam();
        auto const lock = name + "-" + std::to_string(number);
        std::optional<client> user;
        {
            faults::refusal now(which, number);
            try {
                user.emplace(settings());
                what.play({*user, other, lock, [&](std::string const& one) { return somebody_waits(one); }});
            } catch (std::exception const&) { // the failure was told, which is all that can be asked for
            }
            now.end();
        }
        bool const happened = faults::refusal::has_happened();
        if (!user) user.emplace(settings());
        expect_usable(*user, lock);
        used_.push_back(std::move(*user));
        if (used_.size() > 40) expect_all_idle();
        return happened;
    }

    void expect_usable(client& user, std::string const& lock) {
        auto const can_have_it = [&](client& who) { return bool(who.get_lock(lock).try_acquire({.wait = 10s})); };
        EXPECT_TRUE(can_have_it(user)) << "the same thread again";
        EXPECT_TRUE(in_thread([&] { return can_have_it(user); }).get()) << "another thread";
        EXPECT_TRUE(can_have_it(other)) << "another client";
        counters last;
        EXPECT_TRUE(wait_until([&] {
            last = user.stats();
            return last.holds == 0 && last.waiters == 0 && last.unresolved == 0;
        })) << "left: holds "
            << last.holds << ", waiters " << last.waiters << ", unresolved " << last.unresolved;
    }

    /// And no subscription is left when its time is over.
    void expect_all_idle() {
        for (auto const& one : used_) expect_idle(one);
        used_.clear();
    }

    /// They end by themselves, later than this test.
    void remove_records_of_requests() const {
        for (auto const& key : server.run("KEYS", "redlatch_request:*").items) server.run("DEL", key.text);
    }

    std::deque<client> used_;
};

TEST_P(shortage_test, leaves_nothing_behind_and_the_client_goes_on) {
    constexpr long most = 3'000;
    long number = 0;
    while (number < most && play(number)) {
        ASSERT_FALSE(HasFailure()) << "the refused use was number " << number;
        ++number;
    }
    EXPECT_LT(number, most) << "every use of the scenario was refused once";
    EXPECT_GT(number, 0) << "nothing was ever refused";
    expect_all_idle();
    remove_records_of_requests();
    expect_clean(server);
}

using one_shortage_test = with_server;

TEST_F(one_shortage_test, a_stop_request_ends_a_wait_although_its_reader_had_no_eventfd) {
    client other(quick(server.uri()));
    client user(quick(server.uri()));
    user.get_lock("somewhere else").acquire().release(); // the data connection is there, the subscriber's is not
    hold const theirs = other.get_lock(name).acquire();
    faults::refusal const now(resource::eventfd, 0);
    std::stop_source source;
    auto const waiting = in_thread([&] {
        std::error_code code;
        (void)user.get_lock(name).acquire({.stop = source.get_token()}, code);
        return code;
    });
    EXPECT_TRUE(wait_until([&] { return somebody_waits(name); })) << "the next connection was not tried";
    EXPECT_TRUE(faults::refusal::has_happened());
    source.request_stop();
    EXPECT_EQ(waiting.wait_for(5s), std::future_status::ready) << "the wait outlived the stop request";
}

TEST_F(one_shortage_test, a_renewed_lock_is_not_given_without_a_thread_and_the_next_one_is_renewed) {
    auto settings = quick(server.uri());
    settings.lock_watchdog_timeout = 900ms;
    client user(settings);
    auto lock = user.get_lock(name);
    {
        faults::refusal const now(resource::thread, 0);
        std::error_code code;
        EXPECT_FALSE(lock.acquire({}, code));
        EXPECT_EQ(code, std::errc::resource_unavailable_try_again);
        EXPECT_TRUE(faults::refusal::has_happened());
    }
    {
        faults::refusal const now(resource::thread, 0);
        std::string said;
        try {
            lock.lock();
        } catch (std::system_error const& failed) {
            said = failed.what();
        }
        EXPECT_NE(said.find(name), std::string::npos) << "the lock is named: " << said;
    }
    EXPECT_FALSE(exists(name));
    hold const mine = lock.acquire();
    EXPECT_TRUE(wait_until([&] { return user.stats().renewals >= 3; }));
    EXPECT_TRUE(mine);
}

/// Whoever waits behind a hold of its own process asks about it when something is published, on the client's thread.
TEST_F(one_shortage_test, a_hold_that_could_not_be_doubted_for_want_of_memory_is_doubted_the_next_time) {
    client user(quick(server.uri()));
    user.get_lock("somewhere else").acquire().release();
    bool refused = true;
    for (long number = 0; refused && !HasFailure(); ++number) {
        auto lock = user.get_lock(name + "-" + std::to_string(number));
        hold const held = lock.acquire({.owner = owner()});
        std::stop_source stop;
        auto first = in_thread([&] {
            faults::refusal const now(resource::memory, number);
            try {
                (void)lock.acquire({.owner = owner(), .stop = stop.get_token()});
            } catch (std::exception const&) { // without memory, or cancelled
            }
        });
        auto const before = user.stats().renewals;
        EXPECT_TRUE(wait_until([&] {
            if (somebody_waits(lock.name())) server.run("PUBLISH", channel_of(lock.name()), "0");
            return is_ready(first) || user.stats().renewals > before;
        }));
        stop.request_stop();
        first.get();
        refused = faults::refusal::has_happened();
        auto second = in_thread([&] { return bool(lock.try_acquire({.wait = 20s, .owner = owner()})); });
        EXPECT_TRUE(wait_until([&] { return user.stats().waiters > 0; }));
        server.run("DEL", lock.name());
        EXPECT_TRUE(wait_until(
            [&] {
                server.run("PUBLISH", channel_of(lock.name()), "0");
                return held.status() == hold_status::lost;
            },
            5s))
            << "the renewal is due after ten seconds; the refused use was number " << number;
        EXPECT_TRUE(second.get());
    }
}

TEST_F(one_shortage_test, an_asynchronous_call_is_refused_where_no_thread_could_call_its_handler) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    {
        faults::refusal const now(resource::thread, 0);
        EXPECT_THROW(lock.async_acquire({}, {}, [](std::error_code, hold) { ADD_FAILURE() << "it was called"; }),
                     std::system_error);
        EXPECT_TRUE(faults::refusal::has_happened());
    }
    EXPECT_EQ(user.stats().waiters, 0U);
    EXPECT_FALSE(exists(name)) << "nothing was begun";
    lock.acquire().release();
}

/// Says whether it was called or discarded; what it says outlives it.
template <class... Values> class noting final : public completion<Values...> {
public:
    struct note {
        std::atomic<bool> ended{false};
        std::atomic<bool> discarded{false};
    };
    explicit noting(std::shared_ptr<note> into) : into_(std::move(into)) {}
    void complete(redlatch::outcome const&, Values...) noexcept override {
        into_->ended = true;
        delete this;
    }
    void discard() noexcept override {
        into_->discarded = true;
        delete this;
    }

private:
    std::shared_ptr<note> into_;
};

/// With each use of memory by `start` refused once: where it throws, the completion is the caller's.
template <class... Values, class Start> void stays_the_callers(Start start) {
    bool refused = true;
    for (long number = 0; refused && !testing::Test::HasFailure(); ++number) {
        auto const seen = std::make_shared<typename noting<Values...>::note>();
        completion_ptr<Values...> done(new noting<Values...>(seen));
        bool thrown = false;
        {
            faults::refusal const now(resource::memory, number);
            try {
                EXPECT_FALSE(start(done));
            } catch (std::exception const&) {
                thrown = true;
            }
            refused = faults::refusal::has_happened();
        }
        EXPECT_EQ(done != nullptr, thrown) << "the refused use was number " << number;
        EXPECT_FALSE(seen->discarded) << "the refused use was number " << number;
        EXPECT_TRUE(thrown || wait_until([&] { return seen->ended.load(); }));
    }
}

TEST_F(one_shortage_test, a_call_that_could_not_be_begun_leaves_its_completion_to_the_caller) {
    client user(quick(server.uri()));
    auto lock = user.get_lock(name);
    multi_lock both({user.get_lock(name + "-1"), user.get_lock(name + "-2")});
    auto election = user.get_leader_election(name + "-election");
    auto permits_there = user.get_semaphore(name + "-permits");
    auto leased = user.get_permit_semaphore(name + "-leased");
    auto latch = user.get_count_down_latch(name + "-latch");
    permits_there.try_set_permits(1'000);
    leased.try_set_permits(1'000);
    lock.acquire().release();
    stays_the_callers<hold>([&](auto& done) { return lock.start_acquire({.owner = owner()}, done); });
    stays_the_callers<multi_hold>([&](auto& done) { return both.start_acquire({.owner = owner()}, done); });
    stays_the_callers<leadership>([&](auto& done) { return election.start_campaign({}, done); });
    stays_the_callers<>([&](auto& done) { return permits_there.start_acquire({}, done); });
    stays_the_callers<permits>([&](auto& done) { return leased.start_acquire({}, done); });
    stays_the_callers<>([&](auto& done) { return latch.start_wait({}, done); });
    stays_the_callers<bool>([&](auto& done) { return lock.start_is_locked(done); });
    stays_the_callers<std::optional<client>>(
        [&](auto& done) { return client::start_connect(quick(server.uri()), done); });
    EXPECT_TRUE(wait_until([&] { return !lock.is_locked() && user.stats().waiters == 0; }));
}

TEST_F(one_shortage_test, a_wait_for_permits_is_refused_without_a_thread_and_the_next_one_is_woken) {
    client user(quick(server.uri()));
    auto permits = user.get_semaphore(name);
    permits.try_set_permits(1);
    {
        faults::refusal const now(resource::thread, 0);
        std::string said;
        try {
            permits.acquire({.wait = 5s});
        } catch (std::system_error const& failed) {
            EXPECT_EQ(failed.code(), std::errc::resource_unavailable_try_again);
            said = failed.what();
        }
        EXPECT_TRUE(faults::refusal::has_happened());
        EXPECT_NE(said.find(name), std::string::npos) << "the semaphore is named: " << said;
    }
    EXPECT_EQ(permits.available_permits(), 1) << "none was taken";
    permits.acquire({.wait = 5s});
    auto next = in_thread([&] { permits.acquire({.wait = 20s}); });
    EXPECT_TRUE(wait_until([&] { return user.stats().subscriptions > 0; }));
    permits.release();
    EXPECT_EQ(next.wait_for(10s), std::future_status::ready);
}

TEST(one_shortage, where_no_thread_could_ask_for_the_address_of_a_host_it_is_asked_for_again) {
    redis_server const server({.over = server_options::transport::tcp});
    client user(quick("redis://localhost:" + std::to_string(server.address().port)));
    auto lock = user.get_lock("lock");
    lock.acquire().release();
    faults::refusal const now(resource::thread, 0);
    server.run("CLIENT", "KILL", "TYPE", "normal");
    EXPECT_TRUE(wait_until([] { return faults::refusal::has_happened(); }));
    lock.acquire({.wait = 20s}).release();
}

std::string name_of(::testing::TestParamInfo<std::tuple<resource, scenario>> const& which) {
    constexpr char const* names[] = {"memory", "thread", "eventfd", "epoll", "socket"};
    return std::string(names[static_cast<std::size_t>(std::get<0>(which.param))]) + "_" + std::get<1>(which.param).name;
}

INSTANTIATE_TEST_SUITE_P(of, shortage_test,
                         ::testing::Combine(::testing::Values(resource::memory, resource::thread, resource::eventfd,
                                                              resource::epoll, resource::socket),
                                            ::testing::ValuesIn(scenarios)),
                         name_of);

} // namespace
} // namespace redlatch::test
