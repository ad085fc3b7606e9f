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
      valid_until_(validity(terms_.taken_at)),
      renew_at_(terms_.renewed ? base::later(terms_.taken_at, terms_.lease / 3) : base::never) {}

permit_lease::~permit_lease() {
    disarm();
}

bool permit_lease::end() noexcept {
    if (ended_.exchange(true)) return false;
    disarm();
    return true;
}

base::instant permit_lease::validity(base::instant sent_at) const {
    auto const until = terms_.lease.count() > 0 ? base::later(sent_at, terms_.lease - margin_) : base::never;
    return std::min(until, terms_.latest);
}

void permit_lease::watch() {
    if (watched_.exchange(true)) return;
    if (auto const core = core_.lock())
        insist([&] {
            auto const look = [weak = weak_from_this()] {
                if (auto const self = weak.lock()) self->look();
            };
            if (core->settings().lazy_threads) // a timer waits for the thread, a task would start it
                core->loop()->at(lease_clock::now(), look);
            else
                core->loop()->post(look);
        });
}

void permit_lease::look() {
    auto const core = core_.lock();
    if (!core || core->closed() || ended() || lost_.load(std::memory_order_acquire)) return;
    auto const now = lease_clock::now();
    if (now >= valid_until()) return lose(*core);
    bool const can_last_longer = valid_until() < terms_.latest;
    if (!asking_ && can_last_longer && now >= renew_at_) ask(*core, now);
    arm(*core, asking_ || !can_last_longer ? valid_until() : std::min(renew_at_, valid_until()));
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
    request.lease = terms_.lease;
    asking_ = insist([&] {
        core.send(core.node_of(what.name).data(), what.how->renew(request),
                  [weak = weak_from_this()](connection::call const& answered) {
                      if (auto const self = weak.lock()) self->on_answer(answered);
                  });
        core.renewal_sent();
    });
    if (!asking_) renew_at_ = base::later(now, base::milliseconds(100)); // no memory
}

void permit_lease::on_answer(connection::call const& answered) {
    asking_ = false;
    auto const core = core_.lock();
    if (!core || core->closed() || ended() || lost_.load(std::memory_order_acquire)) return;
    bool const said_something = answered.status == connection::call::state::answered && !answered.reply.is_error();
    auto const missing =
        said_something ? terms_.what->how->read_renewal(answered.reply, terms_.ids.size() / locking::permit_id_size)
                       : std::nullopt;
    if (missing && !missing->empty()) return lose(*core);
    if (missing) {
        valid_until_.store(std::max(valid_until(), validity(answered.sent_at)), std::memory_order_release);
        renew_at_ = base::later(answered.sent_at, terms_.lease / 3);
    } else {
        renew_at_ = base::later(lease_clock::now(), std::min(terms_.lease / 10, base::milliseconds(1000)));
    }
    look();
}

void permit_lease::lose(client_core& core) {
    if (lost_.exchange(true)) return;
    disarm();
    valid_until_.store(std::min(valid_until(), lease_clock::now()), std::memory_order_release);
    insist([&] {
        auto const message = "permits of " + std::string(terms_.what->how->kind) + " "
                             + locking::shown(terms_.what->name)
                             + " are lost: their lease is over, or somebody has released them";
        log(log_level::warning, message);
        core.tell({.what = event::kind::hold_lost, .lock_name = terms_.what->name, .message = message});
    });
    insist([&] {
        if (!core.stop_on_reactor(lost_source_))
            core.notify([source = lost_source_]() mutable { source.request_stop(); });
    });
}

} // namespace redlatch::io
