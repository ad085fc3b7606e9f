#include "io/subscriber.hpp"

#include "io/insist.hpp"
#include "io/login_renewal.hpp"

#include <algorithm>

namespace redlatch::io {

namespace {

/// A connection with subscriptions takes no AUTH: before its credentials expire another one takes its place.
void renew(std::shared_ptr<reactor> const& loop, std::shared_ptr<login> const& login, lane::hooks& told,
           std::shared_ptr<std::weak_ptr<lane>> const& self) {
    auto const renewal = std::make_shared<login_renewal>(loop, login, [self](login_renewal&, credentials const&) {
        if (auto const line = self->lock()) line->reconnect("is connected to anew before the credentials expire");
    });
    told.connected = [renewal, then = std::move(told.connected)](connection::identity const& server) {
        renewal->connected();
        if (then) then(server);
    };
}

} // namespace

subscriber::subscriber(std::shared_ptr<reactor> reactor, lane::settings const& settings, lane::hooks to_tell)
    : loop_(std::move(reactor)), registry_(std::make_shared<locking::subscription_registry>()) {
    auto const self = std::make_shared<std::weak_ptr<lane>>(); // known only once the lane is there
    if (settings.who) renew(loop_, settings.who, to_tell, self);
    line_ = std::make_shared<lane>(loop_, settings, registry_, std::move(to_tell));
    *self = line_;
}

locking::channel_ptr subscriber::attach(std::string const& name) {
    locking::channel_ptr found;
    line_->with([&] { found = registry_->attach(name); });
    return found;
}

void subscriber::detach(locking::channel_ptr const& channel, base::waker const& waker, bool sleeps) noexcept {
    base::instant next = base::never;
    bool gave_up_another = false; // too many linger
    insist([&] {
        line_->with([&] {
            if (std::erase(channel->waiters, waker) > 0 && sleeps) --registry_->sleepers;
            registry_->detach(channel, lease_clock::now());
            gave_up_another = !registry_->out.empty();
            if (timer_->armed) return;
            next = registry_->next();
            timer_->armed = next != base::never;
        });
    });
    if (gave_up_another) insist([&] { line_->submit([] {}, false); }); // sends it
    if (next == base::never || insist([&] { arm(loop_, registry_, line_, timer_, next); })) return;
    line_->with([&] { timer_->armed = false; }); // no memory: whoever comes next sets it
}

/// Gives up the lingering subscriptions one after the other.
void subscriber::arm(std::shared_ptr<reactor> const& loop,
                     std::shared_ptr<locking::subscription_registry> const& registry, std::weak_ptr<lane> const& weak,
                     std::shared_ptr<linger_timer> const& timer, base::instant due_time) {
    loop->at(due_time, [loop = std::weak_ptr(loop), registry, weak, timer] {
        auto const line = weak.lock();
        auto const still = loop.lock();
        if (!line || !still) return;
        base::instant next = base::never;
        line->submit(
            [&] {
                registry->on_timer(lease_clock::now());
                next = registry->next();
                timer->armed = next != base::never;
            },
            false);
        if (next != base::never) arm(still, registry, weak, timer, next);
    });
}

void subscriber::listen(locking::channel_ptr const& channel, base::waker const& waker, bool subscribe, bool will_wait) {
    line_->submit(
        [&] {
            if (std::find(channel->waiters.begin(), channel->waiters.end(), waker) == channel->waiters.end()) {
                channel->waiters.push_back(waker);
                if (!will_wait) ++registry_->sleepers;
            }
            if (subscribe) registry_->subscribe(channel);
        },
        will_wait);
}

bool subscriber::is_refused_for_now(locking::channel const& channel) {
    bool refused = false;
    line_->with([&] { refused = channel.is_refused_for_now(); });
    return refused;
}

bool subscriber::subscribe_again(locking::channel_ptr const& channel) {
    bool asked = false;
    line_->submit([&] { asked = registry_->subscribe_again(channel); }, false);
    return asked;
}

void subscriber::rest(locking::channel& channel, base::waker const& waker, bool sleeps) {
    line_->with([&] {
        if (std::erase(channel.waiters, waker) > 0 && sleeps) --registry_->sleepers;
    });
}

locking::channel_sample subscriber::sample(locking::channel const& channel) {
    locking::channel_sample now;
    line_->with([&] { now = channel.sample(); });
    return now;
}

locking::channel_sample subscriber::peek(std::string const& name) {
    locking::channel_sample now;
    line_->with([&] { now = registry_->peek(name); });
    return now;
}

bool subscriber::expect_own(std::string const& name) {
    bool expected = false;
    line_->with([&] { expected = registry_->expect_own(name); });
    return expected;
}

void subscriber::expect_own_no_more(std::string const& name) {
    base::wake_list woken;
    line_->with([&] { registry_->expect_own_no_more(name, woken); });
    woken.wake_all();
}

void subscriber::on_slots_moved(base::function_ref<bool(std::uint16_t)> gone) {
    base::wake_list woken;
    line_->with([&] { registry_->on_slots_moved(gone, woken); });
    woken.wake_all();
}

void subscriber::on_another_master() {
    base::wake_list woken;
    line_->with([&] { registry_->on_another_master(woken); });
    woken.wake_all();
}

std::uint64_t subscriber::commands() const {
    std::uint64_t count = 0;
    line_->with([&] { count = registry_->commands(); });
    return count;
}

std::size_t subscriber::active() const {
    std::size_t count = 0;
    line_->with([&] { count = registry_->active(); });
    return count;
}

} // namespace redlatch::io
