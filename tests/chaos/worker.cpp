// A worker process: each of its threads asks for the lock, works, releases, and asks again, and writes down what happens.
//
//     chaos_worker NAME=VALUE...       (worker_settings.hpp)
//
// Its input: "release" ends the long first sections; the end of the input ends the process, with all its locks released.
#include "diary.hpp"
#include "support/variant.hpp"
#include "worker_settings.hpp"

#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::chaos {

namespace {

/// Of a red lock: what a callback may look at while its hold is being released.
struct majority_view {
    std::vector<hold_view> members;

    lease_clock::time_point valid_until() const {
        std::vector<lease_clock::time_point> ends;
        for (auto const& one : members) ends.push_back(one.valid_until());
        std::sort(ends.begin(), ends.end(), std::greater<>());
        return ends.size() < majority ? lease_clock::time_point::min() : ends[majority - 1];
    }
    static constexpr std::size_t majority = 2; // of three
};

hold_view view_of(hold const& one) {
    return hold_view(one);
}
majority_view view_of(multi_hold const& one) {
    return {one.members()};
}

template <class Hold> std::int64_t validity(Hold const& of) {
    auto const left = std::chrono::duration_cast<std::chrono::microseconds>(of.valid_until() - lease_clock::now());
    return now_us() + left.count();
}

std::string text_of(std::error_code code) {
    if (!code) return {};
    if (code == errc::lease_lost) return "lease_lost";
    if (code == errc::cancelled) return "cancelled";
    if (code == errc::timed_out) return "timed_out";
    return code.message();
}

server_mode mode_of(std::string const& text) {
    if (text == "replicated") return server_mode::replicated;
    if (text == "master_slave") return server_mode::master_slave;
    throw std::invalid_argument("unknown mode " + text);
}

class worker {
public:
    explicit worker(worker_settings settings)
        : settings_(std::move(settings)), diary_(settings_.history_file), tokens_(settings_.counter_file),
          clients_(clients_of(settings_)) {}

    void run() {
        std::vector<std::jthread> threads;
        for (int i = 0; i < settings_.threads; ++i)
            threads.emplace_back([this, who = settings_.name + "." + std::to_string(i)] { cycles(who); });
        for (std::string line; std::getline(std::cin, line);)
            if (line == "release") released_ = true;
        ending_.request_stop();
    }

private:
    static std::vector<client> clients_of(worker_settings const& from) {
        std::istringstream text(from.uri);
        std::vector<std::string> const addresses{std::istream_iterator<std::string>(text), {}};
        std::vector<client> all;
        if (from.mode.empty()) {
            for (auto const& address : addresses) {
                auto settings = client_settings(from);
                settings.address = address;
                all.emplace_back(std::move(settings));
            }
        } else {
            auto settings = client_settings(from);
            settings.topology.mode = mode_of(from.mode);
            settings.topology.nodes = addresses;
            all.emplace_back(std::move(settings));
        }
        return all;
    }
    static config client_settings(worker_settings const& from) {
        config result;
        result.lock_watchdog_timeout = from.watchdog;
        result.timeout = from.timeout;
        result.ping_interval = from.ping;
        result.retry_delay = milliseconds(50);
        result.retry_attempts = 20;
        result.validity_margin = from.margin;
        result.topology.scan_interval = from.scan;
        result.replicas.replicas = from.replicas;
        return test::as_variant(std::move(result));
    }

    void say(std::string const& who, kind what, std::int64_t at, std::int64_t number = 0, std::int64_t until = 0,
             std::string text = {}) const {
        diary_.say({at, who, what, number, until, std::move(text)});
    }

    void cycles(std::string const& who) {
        say(who, kind::begin, now_us());
        if (clients_.size() == 1) {
            cycles(who, clients_.front().get_lock(settings_.lock));
        } else {
            std::vector<basic_lock> members;
            for (auto& one : clients_) members.push_back(one.get_lock(settings_.lock));
            cycles(who, red_lock(members));
        }
        say(who, kind::end, now_us());
    }

    template <class Lock> void cycles(std::string const& who, Lock lock) {
        auto length = settings_.first.count() > 0 ? settings_.first : settings_.section;
        while (!ending_.stop_requested()) {
            if (cycle(who, lock, length)) length = settings_.section;
            // sleeps because users pause between two pieces of work
            std::this_thread::sleep_for(settings_.pause);
        }
    }

    template <class Lock> bool cycle(std::string const& who, Lock& lock, milliseconds length) {
        acquire_options options{.stop = ending_.get_token()};
        if (settings_.wait.count() > 0) options.wait = settings_.wait;
        if (settings_.lease.count() > 0) options.lease = settings_.lease;
        auto const asked = now_us();
        say(who, kind::ask, asked, 0, options.wait ? asked + longest_us(*options.wait) : 0);
        std::error_code code;
        auto mine = lock.acquire(options, code);
        auto const returned = now_us();
        if (code) {
            say(who, kind::fail, returned, 0, 0, text_of(code));
            return false;
        }
        say(who, kind::got, returned, 0, validity(mine));
        std::stop_callback const on_loss(
            mine.lost(), [&, view = view_of(mine)] { say(who, kind::told, now_us(), 0, validity(view)); });
        inside(who, mine, length);
        mine.release(code);
        say(who, kind::freed, now_us(), 0, 0, text_of(code));
        return true;
    }

    /// Replicas are waited for after the lock was given, and so beyond the wait for it.
    std::int64_t longest_us(milliseconds wait) const {
        auto const confirmation = settings_.replicas != 0 ? replica_policy{}.time : milliseconds(0);
        return std::chrono::microseconds(wait + confirmation).count();
    }

    template <class Hold> void inside(std::string const& who, Hold const& mine, milliseconds length) {
        auto const token = tokens_.next();
        auto at = now_us();
        if (!mine) {
            say(who, kind::turned_away, at, token);
            return;
        }
        say(who, kind::enter, at, token, validity(mine));
        bool const long_one = length != settings_.section;
        auto const end = at + length.count() * 1000;
        for (;;) {
            // sleeps because a section takes time
            std::this_thread::sleep_for(settings_.look);
            auto const last = tokens_.last();
            at = now_us();
            if (!mine) {
                say(who, kind::lost, now_us());
                wait_to_be_told(mine);
                return;
            }
            bool const over = at >= end || ending_.stop_requested() || (long_one && released_);
            say(who, over ? kind::leave : kind::look, at, last, validity(mine));
            if (over) return;
        }
    }

    /// The clock told this thread; the client's own thread may take a moment longer.
    template <class Hold> static void wait_to_be_told(Hold const& mine) {
        auto const end = now_us() + 5'000'000;
        // sleeps because the stop token that it waits for is the subject of the test
        while (!mine.lost().stop_requested() && now_us() < end) std::this_thread::sleep_for(milliseconds(1));
    }

    worker_settings const settings_;
    diary const diary_;
    token_counter tokens_;
    std::vector<client> clients_;
    std::stop_source ending_;
    std::atomic<bool> released_{false};
};

} // namespace

} // namespace redlatch::chaos

int main(int count, char** arguments) {
    try {
        redlatch::chaos::worker(redlatch::chaos::worker_settings::from_arguments({arguments + 1, arguments + count}))
            .run();
        return 0;
    } catch (std::exception const& problem) {
        std::cerr << "chaos_worker: " << problem.what() << "\n";
        return 1;
    }
}
