#include "io/permit_lease.hpp"

#include "io/insist.hpp"
#include "io/log.hpp"
#include "locking/names.hpp"
#include "locking/tenure.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

permit_lease::permit_lease(std::shared_ptr<client_core> const& core, terms options)
    : core_(core), terms_(std::move(options)),
      margin_(locking::validity_margin(terms_.lease, core->settings().validity_margin)),
      valid_until_(validity(terms_.taken_at)), ask_at_(next_renewal(terms_.taken_at)) {}

permit_lease::~permit_lease() {
    end();
}

void permit_lease::begin() {
    auto const core = core_.lock();
    if (!core) return;
    bool const asked_meanwhile = core->permits_held().add(*this);
    if (terms_.renewed) watch();
    if (asked_meanwhile) on_reactor(&permit_lease::verify);
}

bool permit_lease::end() noexcept {
    if (ended_.exchange(true)) return false;
    disarm();
    auto const core = core_.lock();
    if (core && !core->forked()) core->permits_held().remove(*this);
    return true;
}

base::instant permit_lease::next_renewal(base::instant last) const {
    return can_be_prolonged() ? base::later(last, terms_.lease / 3) : base::never;
}

base::instant permit_lease::validity(base::instant sent_at) const {
    auto const until = terms_.lease.count() > 0 ? base::later(sent_at, terms_.lease - margin_) : base::never;
    return std::min(until, terms_.latest);
}

void permit_lease::watch() {
    if (!watched_.exchange(true)) on_reactor(&permit_lease::look);
}

void permit_lease::on_reactor(void (permit_lease::*step)()) {
    auto const core = core_.lock();
    if (!core) return;
    insist([&] {
        auto const task = [weak = weak_from_this(), step] {
            if (auto const self = weak.lock()) (self.get()->*step)();
        };
        if (core->settings().lazy_threads) // a timer waits for the thread, a task would start it
            core->loop()->at(lease_clock::now(), task);
        else
            core->loop()->post(task);
    });
}

void permit_lease::verify() {
    if (asking_) {
        doubted_ = true;
        return;
    }
    ask_at_ = lease_clock::now();
    look();
}

void permit_lease::look() {
    auto const core = core_.lock();
    if (!core || core->closed() || ended() || lost_.load(std::memory_order_acquire)) return;
    auto const now = lease_clock::now();
    bool const watched = watched_.load(std::memory_order_acquire);
    if (now >= valid_until()) {
        if (watched) lose(*core);
        return;
    }
    if (!asking_ && now >= ask_at_) ask(*core, now);
    auto const end = watched ? valid_until() : base::never;
    arm(*core, asking_ ? end : std::min(ask_at_, end));
}

/// One timer at a time.
void permit_lease::arm(client_core& core, base::instant due_time) {
    if (due_time >= armed_for_) return;
    disarm();
    insist([&] {
        timer_ = core.loop()->at(due_time, [weak = weak_from_this()] {
            auto const self = weak.lock();
            if (!self) return;
            self->armed_for_ = base::never;
            self->look();
        });
        armed_for_ = due_time;
    });
    if (ended()) disarm(); // meanwhile: end() has not seen the timer
}

/// A timer keeps the memory of this object until it is due.
void permit_lease::disarm() noexcept {
    auto const timer = timer_.exchange(0);
    auto const core = timer == 0 ? nullptr : core_.lock();
    if (core && !core->forked()) core->loop()->cancel(timer);
}

void permit_lease::ask(client_core& core, base::instant now) {
    auto const& what = *terms_.what;
    auto request = what.request();
    request.ids = terms_.ids;
    prolongs_ = can_be_prolonged();
    request.lease = prolongs_ ? terms_.lease : base::milliseconds(0); // leaves it as it is
    doubted_ = false;
    asking_ = insist([&] {
        core.send(core.node_of(what.name).data(), what.how->renew(request),
                  [weak = weak_from_this()](connection::call const& answered) {
                      if (auto const self = weak.lock()) self->on_answer(answered);
                  });
        core.renewal_sent();
    });
    if (!asking_) ask_at_ = base::later(now, base::milliseconds(100)); // no memory
}

void permit_lease::on_answer(connection::call const& answered) {
    asking_ = false;
    auto const core = core_.lock();
    if (!core || core->closed() || ended() || lost_.load(std::memory_order_acquire)) return;
    bool const said_something = answered.status == connection::call::state::answered && !answered.reply.is_error();
    auto const missing =
        said_something ? terms_.what->how->read_renewal(answered.reply, terms_.ids.size() / locking::taken_id_size)
                       : std::nullopt;
    auto const now = lease_clock::now();
    if (missing && !missing->empty() && now < valid_until()) return lose(*core);
    if (!missing) {
        constexpr base::milliseconds longest_pause{1000};
        auto const pause = terms_.lease.count() > 0 ? std::min(terms_.lease / 10, longest_pause) : longest_pause;
        ask_at_ = base::later(now, pause);
    } else if (prolongs_) {
        valid_until_.store(std::max(valid_until(), validity(answered.sent_at)), std::memory_order_release);
        ask_at_ = next_renewal(answered.sent_at);
    } else {
        ask_at_ = base::never;
    }
    if (doubted_) ask_at_ = now;
    look();
}

void permit_lease::lose(client_core& core) {
    if (lost_.exchange(true)) return;
    disarm();
    valid_until_.store(std::min(valid_until(), lease_clock::now()), std::memory_order_release);
    insist([&] {
        auto const message =
            "permits of " + std::string(terms_.what->how->kind) + " " + locking::shown(terms_.what->name)
            + " are lost: their lease is over, somebody has released them, or the server has forgotten them";
        log(log_level::warning, message);
        core.tell({.what = event::kind::hold_lost, .lock_name = terms_.what->name, .message = message});
    });
    insist([&] {
        if (!core.stop_on_reactor(lost_source_))
            core.notify([source = lost_source_]() mutable { source.request_stop(); });
    });
}

} // namespace redlatch::io
