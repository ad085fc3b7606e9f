// Everything at once: blocking and asynchronous callers, deadlines, cancellation, re-entry, owners on several threads, forced
// releases, broken connections, a server that pauses, clients that are closed under their users.
//
// Asked is what must hold whatever happens: no call hangs or ends in a way that nothing can explain, nobody is given a lock
// while another hold says that it is valid, every handler runs once, and in the end nothing is left, here or on the server.
#pragma once

#include "mixed_stress.hpp"

#include <array>
#include <deque>
#include <utility>

namespace redlatch::test {

class everything_at_once {
public:
    /// `how`: for clients, which finds this server. `longest_peace`: no connection is broken for up to so long.
    everything_at_once(redis_server& server, config how, std::chrono::seconds lasts,
                       std::chrono::microseconds longest_peace = 60ms)
        : server_(server), longest_peace_(longest_peace), time_(lasts), clients_(settings(std::move(how)), 3) {}

    void run() {
        std::vector<std::thread> all;
        for (std::size_t i = 0; i < workers; ++i) all.emplace_back([this, i] { work(i); });
        all.emplace_back([this] { break_connections(); });
        all.emplace_back([this] { pause_the_server(); });
        all.emplace_back([this] { close_clients(); });
        for (auto& one : all) one.join();
        handed_over_.clear();
        EXPECT_TRUE(wait_until([this] { return finished_.load() == started_.load(); }, watchdog::longest_call))
            << started_.load() - finished_.load() << " handlers have not run";
        for (auto const& one : clients_.all()) expect_nothing_in_hand(one->user);
        // Nobody waits for a detached release, and a server that pauses may answer late.
        EXPECT_TRUE(wait_until([this] { return server_.run("DBSIZE").integer == 0; }));
        expect_clean(server_);
        look_at_what_happened();
    }

private:
    static constexpr std::size_t workers = 12;
    static constexpr std::size_t exclusive_names = 4;

    static config settings(config how) {
        how.close_timeout = 10s; // nothing is to be left behind although the server pauses
        how.retry_delay = 1ms;
        return how;
    }

    /// One caller's doings: the client, the lock, and whether its hold can be lost by something that was done on purpose.
    struct errand {
        std::shared_ptr<shared_client> with;
        reentrant_lock lock;
        witness* seen_by = nullptr; ///< none: this lock is released by force
        std::size_t thread = 0;
    };

    errand some_errand(std::size_t thread, std::minstd_rand& random) {
        auto with = clients_.some(random);
        auto const which = random() % (exclusive_names + 1);
        if (which == exclusive_names) return {with, with->user.get_lock("forced"), nullptr, thread};
        return {with, with->user.get_lock("lock-" + std::to_string(which)), &witnesses_[which], thread};
    }

    void work(std::size_t thread) {
        std::minstd_rand random(static_cast<unsigned>(thread) + 1);
        while (!time_.over()) {
            auto mine = some_errand(thread, random);
            switch (random() % 10) {
            case 0:
            case 1: blocking(mine, {.wait = duration(random() % 60)}, "with a deadline", random); break;
            case 2: blocking(mine, {.stop = canceller_.soon()}, "to be cancelled", random); break;
            case 3:
                blocking(mine, {.wait = 500ms, .lease = duration(1 + random() % 30)}, "with a fixed lease", random);
                break;
            case 4: once(mine, random); break;
            case 5: adapter(mine); break;
            case 6:
            case 7: asynchronous(mine, random); break;
            case 8: by_an_owner_elsewhere(mine, random); break;
            default: look(mine); break;
            }
        }
    }

    // --- what callers do

    void blocking(errand& what, acquire_options const& how, char const* name, std::minstd_rand& random) {
        std::error_code ec;
        watchdog_.enters(what.thread, name);
        auto mine = what.lock.acquire(how, ec);
        watchdog_.leaves(what.thread);
        explain(ec, what, how, name);
        if (ec) return;
        enters(what, mine, name);
        std::optional<hold> again;
        if (random() % 3 == 0) again = enter_again(what, mine, how);
        if (again && random() % 2 == 0) std::swap(mine, *again); // levels end in any order
        if (again) give_back(what, std::move(*again), how.lease.has_value());
        leaves(what, mine);
        if (random() % 6 == 0) return hand_off(what, std::move(mine));
        give_back(what, std::move(mine), how.lease.has_value());
    }

    std::optional<hold> enter_again(errand& what, hold const& mine, acquire_options const& how) {
        std::error_code ec;
        auto const before = mine.status();
        auto const start = std::chrono::steady_clock::now();
        watchdog_.enters(what.thread, "re-entry");
        auto again = what.lock.acquire({.wait = 10s, .owner = how.owner}, ec);
        watchdog_.leaves(what.thread);
        if (!ec) {
            happened("re-entry: entered");
            return again;
        }
        bool const may_be_lost = can_be_lost(what, how.lease.has_value());
        auto const took =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
        auto const about = "re-entry (after " + std::to_string(took.count()) + " ms, of a hold that was "
                           + std::string(to_string(before)) + " and is " + std::string(to_string(mine.status()))
                           + (how.lease ? ", with a fixed lease)" : ")");
        // Who had lost the lock before waited as anybody does, perhaps for a hold that was handed over and that nobody takes
        // any more, since the time is over.
        bool const waited_anew = ec == errc::timed_out && mine.status() == hold_status::lost;
        expect(may_be_lost && (ec == errc::lease_lost || ec == errc::closed || waited_anew), about.c_str(), ec);
        return std::nullopt;
    }

    void once(errand& what, std::minstd_rand& random) {
        std::error_code ec;
        watchdog_.enters(what.thread, "try once");
        auto got = what.lock.try_acquire({}, ec);
        watchdog_.leaves(what.thread);
        explain(ec, what, {}, "try once");
        if (!got) return;
        enters(what, *got, "try once");
        leaves(what, *got);
        if (random() % 2 == 0) return got->release_detached();
        give_back(what, std::move(*got), false);
    }

    void adapter(errand& what) {
        watchdog_.enters(what.thread, "as a TimedLockable");
        try {
            std::unique_lock guard(what.lock, 5ms);
            happened(guard ? "adapter: locked" : "adapter: not in time");
            if (guard) {
                auto const mine = what.lock.current_hold();
                enters(what, mine, "adapter");
                leaves(what, mine);
            }
        } catch (error const& problem) {
            expect(problem.reason() == errc::disconnected || (problem.reason() == errc::closed && what.with->closing)
                       || problem.reason() == errc::lease_lost,
                   "adapter", problem.code());
        }
        watchdog_.leaves(what.thread);
    }

    void asynchronous(errand const& what, std::minstd_rand& random) {
        bool const cancels = random() % 2 == 0;
        acquire_options how{.wait = duration(random() % 200), .owner = owner()};
        if (cancels) how.stop = canceller_.soon();
        ++started_;
        auto lock = what.lock;
        lock.async_acquire(how, {}, [this, what, how](std::error_code ec, hold got) {
            explain(ec, what, how, "asynchronous");
            if (ec) {
                ++finished_;
                return;
            }
            enters(what, got, "asynchronous");
            leaves(what, got);
            got.async_release({}, [this, what](std::error_code released) {
                explain_release(released, what, false);
                ++finished_;
            });
        });
    }

    void by_an_owner_elsewhere(errand& what, std::minstd_rand& random) {
        blocking(what, {.wait = duration(random() % 100), .owner = owner()}, "for an owner", random);
        std::optional<std::pair<errand, hold>> taken;
        {
            std::lock_guard guard(mutex_);
            if (handed_over_.empty()) return;
            taken = std::move(handed_over_.front());
            handed_over_.pop_front();
        }
        taken->first.thread = what.thread;
        give_back(taken->first, std::move(taken->second), true);
    }
    void hand_off(errand const& what, hold&& mine) {
        happened("handed over");
        std::lock_guard guard(mutex_);
        handed_over_.emplace_back(what, std::move(mine));
        if (handed_over_.size() > 4) handed_over_.pop_front(); // its destructor releases
    }

    void look(errand& what) {
        watchdog_.enters(what.thread, "looking");
        try {
            if (!what.seen_by && what.lock.force_unlock()) happened("forced");
            (void)what.lock.is_locked();
            what.lock.remaining_lease();
            what.with->user.stats();
            happened("looked");
        } catch (error const& problem) {
            expect(problem.reason() == errc::disconnected || problem.reason() == errc::outcome_unknown
                       || (problem.reason() == errc::closed && what.with->closing),
                   "looking", problem.code());
        }
        watchdog_.leaves(what.thread);
    }

    // --- what may come of it

    void enters(errand const& what, hold_view const& who, char const* call) {
        if (what.seen_by) what.seen_by->enters(who, call, what.with);
    }
    void leaves(errand const& what, hold_view const& who) {
        if (what.seen_by) what.seen_by->leaves(who);
    }

    static bool can_be_lost(errand const& what, bool fixed_lease) {
        return fixed_lease || !what.seen_by || what.with->closing;
    }

    void explain(std::error_code ec, errand const& what, acquire_options const& how, char const* name) {
        happened(std::string(name) + ": " + (ec ? ec.message() : "acquired"));
        if (!ec || ec == errc::disconnected) return;
        // A thread that left a level of its own with another one may find it lost.
        bool const explained =
            ((ec == errc::timed_out || ec == errc::busy) && (how.wait || std::string_view(name) == "try once"))
            || (ec == errc::cancelled && how.stop.stop_requested()) || (ec == errc::closed && what.with->closing)
            || ec == errc::lease_lost;
        expect(explained, name, ec);
    }

    void give_back(errand const& what, hold&& mine, bool fixed_lease) {
        std::error_code ec;
        watchdog_.enters(what.thread, "release");
        mine.release(ec);
        watchdog_.leaves(what.thread);
        explain_release(ec, what, fixed_lease);
    }
    void explain_release(std::error_code ec, errand const& what, bool fixed_lease) {
        happened("release: " + (ec ? ec.message() : std::string("released")));
        if (!ec || ec == errc::outcome_unknown) return;
        expect((ec == errc::lease_lost || ec == errc::closed) && can_be_lost(what, fixed_lease), "release", ec);
    }

    void expect(bool explained, char const* what, std::error_code ec) {
        EXPECT_TRUE(explained) << what << " ended with: " << ec.message();
    }
    void happened(std::string const& what) { tally_.count(what); }

    // --- what disturbs them

    void break_connections() {
        std::minstd_rand random(100);
        auto const longest = static_cast<std::minstd_rand::result_type>(longest_peace_.count());
        while (time_.pause(std::chrono::microseconds(random() % longest))) {
            try {
                auto admin = server_.admin();
                auto const* type = random() % 2 == 0 ? "normal" : "pubsub";
                admin.command("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
                happened(std::string("connections broken: ") + type);
            } catch (std::runtime_error const&) { // the server pauses for longer than the admin waits
                happened("connections not broken");
            }
        }
    }
    void pause_the_server() {
        std::minstd_rand random(200);
        while (time_.pause(std::chrono::microseconds(random() % 400'000))) {
            server_.pause();
            time_.pause(std::chrono::microseconds(random() % 80'000));
            server_.resume();
            happened("server paused");
        }
    }
    void close_clients() {
        std::minstd_rand random(300);
        while (time_.pause(std::chrono::microseconds(random() % 700'000))) {
            watchdog_.enters(workers, "close");
            clients_.replace_one(random);
            watchdog_.leaves(workers);
            happened("client closed");
        }
    }

    void look_at_what_happened() {
        std::printf("%s", tally_.text().c_str());
        for (auto const& one : witnesses_) {
            EXPECT_EQ(one.overlaps(), "")
                << "the longest step of the wall clock, by which the server ends leases: " << clock_.step().count()
                << " ns";
            EXPECT_GT(one.entries(), 0);
        }
        for (auto const* must : {"with a deadline: acquired", "to be cancelled: acquired", "asynchronous: acquired",
                                 "adapter: locked", "release: released", "client closed", "server paused", "looked"})
            EXPECT_GT(tally_.of(must), 0U) << must << ": the stress was none";
    }

    redis_server& server_;
    std::chrono::microseconds const longest_peace_;
    run_time time_;
    watchdog watchdog_{workers + 1};
    canceller canceller_;
    clock_watch clock_;
    client_pool clients_;
    std::array<witness, exclusive_names> witnesses_{};
    tally tally_;
    std::atomic<int> started_{0};
    std::atomic<int> finished_{0};
    std::mutex mutex_;
    std::deque<std::pair<errand, hold>> handed_over_;
};

} // namespace redlatch::test
