// What the mixed stress needs beside the library: an end, somebody who notices that nothing moves any more, witnesses of
// exclusion, and clients that are closed under their users and replaced.
#pragma once

#include "storm.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace redlatch::test {

/// How long the stress lasts. Whoever pauses does so here, and not beyond the end.
class run_time {
public:
    explicit run_time(std::chrono::seconds lasts) : end_(std::chrono::steady_clock::now() + lasts) {}

    bool over() const { return std::chrono::steady_clock::now() >= end_; }
    /// False: it is over.
    bool pause(std::chrono::microseconds time) {
        std::unique_lock guard(mutex_);
        nobody_notifies_.wait_until(guard, std::min(end_, std::chrono::steady_clock::now() + time));
        return !over();
    }

    /// REDLATCH_STRESS_SECONDS, else what is usual in this build.
    static std::chrono::seconds as_asked_for() {
        auto const* asked = std::getenv("REDLATCH_STRESS_SECONDS");
        auto const seconds = asked ? std::atoi(asked) : 0;
        return std::chrono::seconds(seconds > 0 ? seconds : REDLATCH_USUAL_STRESS_SECONDS);
    }

private:
    std::chrono::steady_clock::time_point const end_;
    std::mutex mutex_;
    std::condition_variable nobody_notifies_;
};

/// Ends the process, with a message, when one of its threads has been in the same call for too long: a hang would otherwise
/// only be a test without a result.
class watchdog {
public:
    static constexpr std::chrono::seconds longest_call{60};

    explicit watchdog(std::size_t threads)
        : in_(threads), guard_([this](std::stop_token const& stop) { look(stop); }) {}

    /// The thread says what it does next.
    void enters(std::size_t thread, char const* call) {
        auto& its = in_[thread];
        its.since = std::chrono::steady_clock::now().time_since_epoch().count();
        its.call = call;
    }
    void leaves(std::size_t thread) { in_[thread].call = nullptr; }

private:
    struct place {
        std::atomic<char const*> call{nullptr};
        std::atomic<std::chrono::steady_clock::rep> since{0};
    };

    void look(std::stop_token const& stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock guard(mutex);
        while (!ended.wait_for(guard, stop, 200ms, [&] { return stop.stop_requested(); })) {
            auto const now = std::chrono::steady_clock::now().time_since_epoch();
            for (std::size_t i = 0; i < in_.size(); ++i) {
                auto const* call = in_[i].call.load();
                auto const spent = now - std::chrono::steady_clock::duration(in_[i].since.load());
                if (!call || spent < longest_call) continue;
                std::fprintf(stderr, "mixed stress: thread %zu has been in '%s' for more than %lld s: it hangs\n", i,
                             call, static_cast<long long>(longest_call.count()));
                std::abort();
            }
        }
    }

    std::vector<place> in_;
    std::jthread guard_;
};

/// Looks how far the wall clock, by which a server ends leases, is set. Set forward it ends them early: whoever reads that two
/// had a lock needs to know of it.
class clock_watch {
public:
    /// The longest one so far, in either direction, against the lease clock.
    std::chrono::nanoseconds step() const { return std::chrono::nanoseconds(longest_); }

private:
    void run(std::stop_token const& ends) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock guard(mutex);
        std::optional<std::int64_t> last;
        do {
            auto const before = lease_clock::now();
            auto const wall = std::chrono::system_clock::now();
            auto const after = lease_clock::now();
            if (after - before > 50us) continue; // interrupted in between
            auto const difference =
                std::chrono::nanoseconds(wall.time_since_epoch() - before.time_since_epoch()).count();
            longest_ = std::max<std::int64_t>(longest_, std::abs(difference - last.value_or(difference)));
            last = difference;
        } while (!ended.wait_for(guard, ends, 1ms, [&] { return ends.stop_requested(); }));
    }

    std::atomic<std::int64_t> longest_{0};
    std::jthread thread_{[this](std::stop_token const& ends) { run(ends); }};
};

/// A client that somebody may close while it is used.
struct shared_client {
    explicit shared_client(config const& how) : user(how) {}
    client user;
    std::atomic<bool> closing{false}; ///< set before close() begins
};

/// Sees to it that nobody has been given a lock while another one's hold says that it is valid.
class witness {
public:
    /// Right after `who` was given the lock by `call` of a client.
    void enters(hold_view const& who, char const* call, std::shared_ptr<shared_client> of) {
        std::lock_guard guard(mutex_);
        entry const now{who, call, std::move(of), std::chrono::steady_clock::now()};
        for (auto const& other : inside_)
            // A lease of a millisecond may be over on entering.
            if (other.who && other.who.owner_id() != who.owner_id() && who)
                overlaps_ += text(other) + " still says that it is valid; " + text(now) + " has the lock\n";
        inside_.push_back(now);
        ++entries_;
    }
    /// Right before `who` gives it back.
    void leaves(hold_view const& who) {
        std::lock_guard guard(mutex_);
        auto const at = std::find_if(inside_.begin(), inside_.end(),
                                     [&](entry const& one) { return one.who.owner_id() == who.owner_id(); });
        if (at != inside_.end()) inside_.erase(at);
    }
    std::string overlaps() const {
        std::lock_guard guard(mutex_);
        return overlaps_;
    }
    int entries() const {
        std::lock_guard guard(mutex_);
        return entries_;
    }

private:
    struct entry {
        hold_view who;
        char const* call;
        std::shared_ptr<shared_client> of;
        std::chrono::steady_clock::time_point since;
    };
    static std::string text(entry const& one) {
        auto const us = [](auto time) {
            return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count()) + " us";
        };
        return one.who.owner_id() + " (" + one.call + (one.of->closing ? ", its client is closing" : "")
               + ", inside for " + us(std::chrono::steady_clock::now() - one.since) + ", valid for "
               + us(one.who.valid_until() - lease_clock::now()) + ")";
    }

    mutable std::mutex mutex_;
    std::list<entry> inside_;
    std::string overlaps_;
    int entries_ = 0;
};

class client_pool {
public:
    client_pool(config how, std::size_t count) : how_(std::move(how)) {
        for (std::size_t i = 0; i < count; ++i) all_.push_back(std::make_shared<shared_client>(how_));
    }
    std::shared_ptr<shared_client> some(std::minstd_rand& random) {
        std::lock_guard guard(mutex_);
        return all_[random() % all_.size()];
    }
    /// Closes one under its users; the next ones get another.
    void replace_one(std::minstd_rand& random) {
        auto fresh = std::make_shared<shared_client>(how_);
        {
            std::lock_guard guard(mutex_);
            fresh.swap(all_[random() % all_.size()]);
        }
        fresh->closing = true;
        fresh->user.close();
    }
    std::vector<std::shared_ptr<shared_client>> const& all() const { return all_; }

private:
    config const how_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<shared_client>> all_;
};

/// How often each thing happened, by name.
class tally {
public:
    void count(std::string const& what) {
        std::lock_guard guard(mutex_);
        ++counts_[what];
    }
    std::uint64_t of(std::string const& what) const {
        std::lock_guard guard(mutex_);
        auto const found = counts_.find(what);
        return found == counts_.end() ? 0 : found->second;
    }
    std::string text() const {
        std::lock_guard guard(mutex_);
        std::string out;
        for (auto const& [what, times] : counts_) out += "  " + what + ": " + std::to_string(times) + "\n";
        return out;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::uint64_t> counts_;
};

/// Stops sources at moments that have nothing to do with those who wait, for as long as anybody may.
class canceller {
public:
    std::stop_token soon() {
        std::stop_source source;
        std::lock_guard guard(mutex_);
        sources_.push_back(source);
        return source.get_token();
    }

private:
    void run(std::stop_token const& ends) {
        std::minstd_rand random(4'711);
        std::unique_lock guard(mutex_);
        while (!ended_.wait_for(guard, ends, std::chrono::microseconds(random() % 8'000),
                                [&] { return ends.stop_requested(); })) {
            std::list<std::stop_source> now;
            now.swap(sources_);
            guard.unlock();
            for (auto& one : now) one.request_stop();
            guard.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::list<std::stop_source> sources_;
    std::jthread thread_{[this](std::stop_token const& ends) { run(ends); }};
};

} // namespace redlatch::test
