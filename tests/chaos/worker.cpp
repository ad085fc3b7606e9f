// A worker process: each of its threads asks for the lock, works, releases, and asks again, and writes down what happens.
//
//     chaos_worker NAME=VALUE...       (worker_settings.hpp)
//
// Its input: "release" ends the long first sections; the end of the input ends the process, with all its locks released.
#include "diary.hpp"
#include "support/variant.hpp"
#include "worker_settings.hpp"

#include <redlatch/redlatch.hpp>

#include <atomic>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::chaos {

namespace {

std::int64_t validity(hold_view const& of) {
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

class worker {
public:
    explicit worker(worker_settings settings)
        : settings_(std::move(settings)), diary_(settings_.history_file), tokens_(settings_.counter_file),
          client_(client_settings(settings_)) {}

    void run() {
        std::vector<std::jthread> threads;
        for (int i = 0; i < settings_.threads; ++i)
            threads.emplace_back([this, who = settings_.name + "." + std::to_string(i)] { cycles(who); });
        for (std::string line; std::getline(std::cin, line);)
            if (line == "release") released_ = true;
        ending_.request_stop();
    }

private:
    static config client_settings(worker_settings const& from) {
        config result;
        result.address = from.uri;
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
        auto lock = client_.get_lock(settings_.lock);
        auto length = settings_.first.count() > 0 ? settings_.first : settings_.section;
        while (!ending_.stop_requested()) {
            if (cycle(who, lock, length)) length = settings_.section;
            // sleeps because users pause between two pieces of work
            std::this_thread::sleep_for(settings_.pause);
        }
        say(who, kind::end, now_us());
    }

    bool cycle(std::string const& who, reentrant_lock& lock, milliseconds length) {
        acquire_options options{.stop = ending_.get_token()};
        if (settings_.wait.count() > 0) options.wait = settings_.wait;
        if (settings_.lease.count() > 0) options.lease = settings_.lease;
        auto const asked = now_us();
        say(who, kind::ask, asked, 0, options.wait ? asked + options.wait->count() * 1000 : 0);
        std::error_code code;
        hold mine = lock.acquire(options, code);
        auto const returned = now_us();
        if (code) {
            say(who, kind::fail, returned, 0, 0, text_of(code));
            return false;
        }
        say(who, kind::got, returned, 0, validity(mine));
        std::stop_callback const on_loss(
            mine.lost(), [&, view = hold_view(mine)] { say(who, kind::told, now_us(), 0, validity(view)); });
        inside(who, mine, length);
        mine.release(code);
        say(who, kind::freed, now_us(), 0, 0, text_of(code));
        return true;
    }

    void inside(std::string const& who, hold const& mine, milliseconds length) {
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
    static void wait_to_be_told(hold const& mine) {
        auto const end = now_us() + 5'000'000;
        // sleeps because the stop token that it waits for is the subject of the test
        while (!mine.lost().stop_requested() && now_us() < end) std::this_thread::sleep_for(milliseconds(1));
    }

    worker_settings const settings_;
    diary const diary_;
    token_counter tokens_;
    client client_;
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
