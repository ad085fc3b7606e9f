#include "io/subscriber.hpp"

#include <algorithm>

namespace redlatch::io {

subscriber::subscriber(std::shared_ptr<reactor> with, lane::settings const& how, lane::hooks to_tell)
    : loop_(std::move(with)), registry_(std::make_shared<locking::subscription_registry>()),
      line_(std::make_shared<lane>(loop_, how, registry_, std::move(to_tell))) {}

locking::channel_ptr subscriber::attach(std::string const& name) {
    locking::channel_ptr found;
    line_->with([&] { found = registry_->attach(name); });
    return found;
}

void subscriber::detach(locking::channel_ptr const& which, base::waker const& who) {
    base::instant next = base::never;
    line_->with([&] {
        std::erase(which->waiters, who);
        registry_->detach(which, lease_clock::now());
        next = registry_->next();
    });
    if (next == base::never) return;
    loop_->at(next, [registry = registry_, weak = std::weak_ptr(line_)] {
        if (auto const line = weak.lock()) line->submit([&] { registry->on_timer(lease_clock::now()); }, false);
    });
}

void subscriber::listen(locking::channel_ptr const& which, base::waker const& who, bool subscribe, bool will_wait) {
    line_->submit(
        [&] {
            if (std::find(which->waiters.begin(), which->waiters.end(), who) == which->waiters.end())
                which->waiters.push_back(who);
            if (subscribe) registry_->subscribe(which);
        },
        will_wait);
}

locking::channel_sample subscriber::sample(locking::channel const& which) {
    locking::channel_sample now;
    line_->with([&] { now = which.sample(); });
    return now;
}

locking::channel_sample subscriber::peek(std::string const& name) {
    locking::channel_sample now;
    line_->with([&] { now = registry_->peek(name); });
    return now;
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
