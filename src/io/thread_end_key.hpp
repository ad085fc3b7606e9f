// Something of a thread that outlives its thread_local objects: a key whose destructor runs after all of theirs.
#pragma once

#include <pthread.h>

namespace redlatch::io {

/// For an object with static storage duration. A thread that takes or releases a lock in the destructor of a thread_local guard
/// is thus served, whatever the order of those. A value that is set by another key's destructor brings another round of them.
class thread_end_key {
public:
    /// `at_end` gets the value that the ending thread has set.
    explicit thread_end_key(void (*at_end)(void*)) noexcept : usable_(::pthread_key_create(&key_, at_end) == 0) {}
    thread_end_key(thread_end_key const&) = delete;
    thread_end_key& operator=(thread_end_key const&) = delete;

    // The library may be unloaded while threads live on. Nothing is written: they may be reading.
    ~thread_end_key() {
        if (usable_) ::pthread_key_delete(key_);
    }

    /// Without a key (more than PTHREAD_KEYS_MAX in the process) nothing is told of the end of a thread.
    void set(void const* value) const noexcept {
        if (usable_) ::pthread_setspecific(key_, value);
    }

private:
    pthread_key_t key_{};
    bool usable_;
};

} // namespace redlatch::io
