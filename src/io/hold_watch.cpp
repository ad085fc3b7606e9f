#include "io/hold_watch.hpp"

#include "io/insist.hpp"

#include <memory>
#include <utility>

namespace redlatch::io {
namespace {

class news_of_lock final : public base::wakeable {
public:
    news_of_lock(hold_watch::listener listener, locking::record_ptr lock)
        : listener_(std::move(listener)), lock_(std::move(lock)) {}

    void wake() noexcept override {
        insist([this] { listener_(lock_); });
    }

private:
    hold_watch::listener const listener_;
    locking::record_ptr const lock_;
};

} // namespace

void hold_watch::begin(locking::record_ptr const& lock, listener const& news) {
    std::lock_guard guard(mutex_);
    if (!lock->has_channel() || watches_.size() >= limit_ || watches_.contains(lock.get())) return;
    auto const added = watches_.emplace(lock.get(), watch{lock, std::make_shared<news_of_lock>(news, lock)}).first;
    listen(added->second);
}

void hold_watch::listen(watch& one) {
    one.where = &messages_(*one.lock);
    one.channel = one.where->attach(one.lock->channel());
    one.messages = one.where->sample(*one.channel).messages;
    one.where->listen(one.channel, one.waker, true, false);
}

bool hold_watch::listen_again() {
    std::lock_guard guard(mutex_);
    bool refused = false;
    for (auto& [lock, one] : watches_)
        if (one.channel && one.where->subscribe_again(one.channel)) refused = true;
    return refused;
}

void hold_watch::follow() {
    std::lock_guard guard(mutex_);
    for (auto& [lock, one] : watches_) {
        if (!one.channel || one.where == &messages_(*lock)) continue;
        one.where->detach(std::exchange(one.channel, nullptr), one.waker, true);
        listen(one);
    }
}

hold_watch::event hold_watch::look(locking::lock_record const& lock) {
    std::lock_guard guard(mutex_);
    auto const found = watches_.find(&lock);
    if (found == watches_.end() || !found->second.channel) return event::other;
    auto& one = found->second;
    auto const now = one.where->sample(*one.channel).messages;
    if (std::exchange(one.messages, now) != now) return event::message;
    return one.where->is_refused_for_now(*one.channel) ? event::refused_for_now : event::other;
}

void hold_watch::end_unless(std::function<bool(locking::lock_record const&)> const& held) {
    std::lock_guard guard(mutex_);
    std::erase_if(watches_, [&](auto const& entry) {
        auto const& one = entry.second;
        if (held(*one.lock)) return false;
        if (one.channel) one.where->detach(one.channel, one.waker, true);
        return true;
    });
}

} // namespace redlatch::io
