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
    one.channel = one.where->attach(one.lock->channel);
    one.messages = one.where->sample(*one.channel).messages;
    one.where->listen(one.channel, one.waker, true, false);
}

void hold_watch::follow() {
    std::lock_guard guard(mutex_);
    for (auto& [lock, one] : watches_) {
        if (!one.channel || one.where == &messages_(*lock)) continue;
        one.where->detach(std::exchange(one.channel, nullptr), one.waker, true);
        listen(one);
    }
}

bool hold_watch::heard_message(locking::lock_record const& lock) {
    std::lock_guard guard(mutex_);
    auto const found = watches_.find(&lock);
    if (found == watches_.end() || !found->second.channel) return false;
    auto const now = found->second.where->sample(*found->second.channel).messages;
    return std::exchange(found->second.messages, now) != now;
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
