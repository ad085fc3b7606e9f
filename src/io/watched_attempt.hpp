// An attempt to connect that the reactor drives.
#pragma once

#include "base/error_text.hpp"
#include "base/time.hpp"
#include "io/connector.hpp"
#include "io/insist.hpp"
#include "io/reactor.hpp"

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace redlatch::io {

/// A connector in the reactor's set. The reactor knows no event of an attempt that has finished.
struct watched_attempt final : event_target, std::enable_shared_from_this<watched_attempt> {
    watched_attempt(reactor& reactor, connector connector, std::function<void(connector::progress)> then)
        : loop(reactor), attempt(std::move(connector)), done(std::move(then)) {}

    void begin(base::instant until) {
        attempt.give_until(until);
        token = loop.watch(shared_from_this());
        on_event(0);
    }
    void on_event(std::uint32_t) override { go_on(attempt.advance()); }
    void go_on(connector::progress outcome) {
        if (outcome == connector::progress::waiting && alarm_at != attempt.due_at()) set_alarm();
        if (outcome != connector::progress::waiting) return finish(outcome);
        if (attempt.fd() < 0) return;
        // The next address may have got the number of the descriptor before: one of the two is right.
        auto const wanted = static_cast<std::uint32_t>(attempt.events());
        bool const added = loop.arm(attempt.fd(), wanted, token, true);
        if (loop.arm(attempt.fd(), wanted, token, false) || added) return;
        attempt.fail(errc::disconnected,
                     "cannot be reached: its socket cannot be watched (" + base::error_text(errno) + ")");
        finish(connector::progress::failed);
    }
    void expire() {
        if (finished) return;
        attempt.expire();
        finish(connector::progress::failed);
    }
    /// The time of one address.
    void set_alarm() {
        loop.cancel(std::exchange(alarm, 0));
        alarm_at = attempt.due_at();
        insist([this] {
            alarm = loop.at(alarm_at, [self = weak_from_this()] {
                auto const alive = self.lock();
                if (alive && !alive->finished) alive->go_on(alive->attempt.on_time_over());
            });
        });
    }
    void finish(connector::progress progress) {
        finished = true;
        loop.cancel(alarm);
        loop.unwatch(token);
        if (attempt.fd() >= 0) loop.disregard(attempt.fd());
        auto const keep = shared_from_this();
        std::exchange(done, nullptr)(progress);
    }

    reactor& loop;
    connector attempt;
    std::function<void(connector::progress)> done;
    std::uint64_t token = 0;
    reactor::timer alarm = 0;
    base::instant alarm_at = base::never;
    bool finished = false;
};

} // namespace redlatch::io
