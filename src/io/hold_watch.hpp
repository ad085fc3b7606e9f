// Holds of this client that last for long are listened for: whoever ends one by force publishes a message, and the holder is to
// know within milliseconds, not with the next renewal.
//
// | event                                              | action                                                    |
// |----------------------------------------------------|-----------------------------------------------------------|
// | a hold is a second old                             | subscribe to its channel, unless too many are watched     |
// | a message                                          | ask the server whether this process still holds the lock  |
// | the subscription is confirmed (anew)               | ask in a moment, together with others                     |
// | a busy server refuses it                           | the same; subscribe again each second until it is there   |
// | this process does not hold it any more             | give the subscription up                                  |
#pragma once

#include "base/waker.hpp"
#include "io/subscriber.hpp"
#include "locking/lock_record.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace redlatch::io {

/// Thread-safe.
class hold_watch {
public:
    using listener = std::function<void(locking::record_ptr const&)>;

    /// `messages`: where the channel of a lock is listened to now.
    hold_watch(std::function<subscriber&(locking::lock_record const&)> messages, std::size_t limit)
        : messages_(std::move(messages)), limit_(limit) {}

    /// `news` is called on any thread, also within this call, and even after the end of the watch.
    void begin(locking::record_ptr const& lock, listener const& news);
    enum class event {
        message,         ///< since the last call
        refused_for_now, ///< listen_again() after a while
        other,           ///< the subscription was confirmed, is refused for good, or away
    };
    event look(locking::lock_record const& lock);
    /// Subscribes where a busy server has refused that. True: it did somewhere; whether it is there now will be seen.
    bool listen_again();
    /// Channels may be elsewhere now.
    void follow();
    /// Ends the watches of all locks for which `held` says no.
    void end_unless(std::function<bool(locking::lock_record const&)> const& held);

    /// How old a hold is when it is watched.
    static constexpr base::milliseconds from_age{1'000};
    /// From a refusal to the next attempt.
    static constexpr base::milliseconds again_after{1'000};

private:
    struct watch {
        locking::record_ptr lock;
        base::waker waker;
        subscriber* where = nullptr;
        locking::channel_ptr channel{};
        std::uint64_t messages = 0; ///< so many have been seen
    };
    void listen(watch& one);

    std::function<subscriber&(locking::lock_record const&)> const messages_;
    std::size_t const limit_;
    std::mutex mutex_; // guards what follows
    std::unordered_map<locking::lock_record const*, watch> watches_;
};

} // namespace redlatch::io
