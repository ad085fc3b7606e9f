#include "floor/waiting_locker.hpp"

#include <utility>

namespace redlatch::bench {

waiting_locker::waiting_locker(address where, form which, std::string const& name, std::string const& owner)
    : where_(std::move(where)), channel_(lock_requests::channel_of(name)), locker_(where_, which, name, owner) {}

void waiting_locker::acquire() {
    if (locker_.try_acquire() == -2) return;
    if (!subscription_) subscribe();
    for (;;) {
        // Messages from before this attempt say nothing about what comes after it.
        while (subscription_->readable(std::chrono::milliseconds(0))) subscription_->receive();
        auto const left = locker_.try_acquire();
        if (left == -2) return;
        if (subscription_->readable(std::chrono::milliseconds(left))) subscription_->receive();
    }
}

void waiting_locker::subscribe() {
    subscription_ = std::make_unique<raw_connection>(where_);
    subscription_->ask(raw_command({"SUBSCRIBE", channel_}));
}

} // namespace redlatch::bench
