// How a lane gets its connection: on the calling thread, or on the reactor after pauses that grow.
#include "base/backoff.hpp"
#include "io/lane.hpp"
#include "io/watched_attempt.hpp"

#include <system_error>
#include <thread>
#include <utility>

namespace redlatch::io {

base::milliseconds lane::next_pause() {
    constexpr base::milliseconds first{50};
    if (failures_ == 0) return base::milliseconds::zero();
    return base::backoff_pause(failures_ - 1, first, settings_.longest_pause, random_);
}

/// On the reactor, with connecting_ set.
void lane::connect_after(base::milliseconds pause) {
    if (pause == base::milliseconds::zero()) return begin_connecting();
    reactor_->at(base::later(lease_clock::now(), pause), [self = weak_from_this()] {
        if (auto const alive = self.lock()) alive->begin_connecting();
    });
}

/// On the reactor, with connecting_ set.
void lane::begin_connecting() {
    {
        lock held(mutex_);
        if (link_ != link::down || resting_) {
            connecting_ = false;
            return;
        }
    }
    std::string problem;
    auto addresses = resolve(settings_.where, true, problem);
    if (!addresses.empty() || settings_.where.unix_socket) return connect_to(std::move(addresses), problem);
    // A name server may be slow: it must not hold up renewals.
    try {
        resolve_elsewhere();
    } catch (std::system_error const& no_thread) {
        on_connect_failed(errc::disconnected,
                          "the server " + settings_.where.display()
                              + " cannot be reached: no thread can be started to ask for its address ("
                              + no_thread.what() + ")");
    }
}

void lane::resolve_elsewhere() {
    std::thread([self = weak_from_this(), where = settings_.where, loop = reactor_] {
        std::string trouble;
        auto found = resolve(where, false, trouble);
        loop->post([self, found = std::move(found), trouble] {
            if (auto const still = self.lock()) still->connect_to(found, trouble);
        });
    }).detach();
}

void lane::connect_to(std::vector<address> addresses, std::string const& problem) {
    if (addresses.empty()) return on_connect_failed(errc::disconnected, problem);
    auto const attempt = std::make_shared<watched_attempt>(
        *reactor_, connector(settings_.where, std::move(addresses), settings_.words, settings_.tls), nullptr);
    attempt->done = [self = weak_from_this(), raw = attempt.get()](connector::progress progress) {
        auto const alive = self.lock();
        if (!alive) return;
        if (progress != connector::progress::ready)
            return alive->on_connect_failed(raw->attempt.reason(), raw->attempt.problem());
        std::string trouble;
        if (!alive->up(raw->attempt.take_wire(), raw->attempt.self(), trouble))
            alive->on_connect_failed(errc::disconnected, trouble);
    };
    {
        lock held(mutex_);
        if (link_ != link::down) {
            connecting_ = false;
            return;
        }
        attempt_ = attempt;
    }
    attempt->begin(base::later(lease_clock::now(), settings_.connect_timeout));
}

void lane::on_connect_failed(errc, std::string const& problem) {
    base::milliseconds pause{};
    afterwards next;
    {
        lock held(mutex_);
        attempt_.reset();
        if (link_ != link::down) {
            connecting_ = false;
            return;
        }
        trouble_ = problem;
        if (resting_) {
            connecting_ = false;
            return;
        }
        ++failures_;
        pause = next_pause();
        traffic_->on_unreachable(next.woken);
    }
    next.woken.wake_all();
    connect_after(pause);
}

bool lane::connect_now(base::instant until, errc& reason, std::string& problem) {
    auto addresses = resolve(settings_.where, false, problem);
    if (addresses.empty()) {
        reason = errc::disconnected;
        problem = "the server " + settings_.where.display() + " cannot be reached: " + problem;
        return false;
    }
    connector attempt(settings_.where, std::move(addresses), settings_.words, settings_.tls);
    if (!connect_blocking(attempt, until)) {
        reason = attempt.reason();
        problem = attempt.problem();
        return false;
    }
    reason = errc::disconnected;
    return up(attempt.take_wire(), attempt.self(), problem);
}

} // namespace redlatch::io
