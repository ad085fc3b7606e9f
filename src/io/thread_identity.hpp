// Who the calling thread is, and the news that it has ended.
#pragma once

#include <cstdint>
#include <memory>

namespace redlatch::io {

/// The number that owner::this_thread() carries. Never used again for another thread or owner of this process.
std::uint64_t this_thread_number() noexcept;

/// Told that a thread has ended.
class thread_exit_listener {
public:
    /// Called on the ending thread after its thread_local objects have been destroyed: it must use none of its own with
    /// a destructor. What those objects held is released by then.
    virtual void on_thread_exit(std::uint64_t owner_number) noexcept = 0;

protected:
    ~thread_exit_listener() = default;
};

/// This thread has held something with this listener: tell it when the thread ends, if it is still alive then.
/// Idempotent; a repeated call costs one comparison per living listener of this thread, the last one first. Expired
/// listeners are pruned. Safe during the destruction of thread_local objects. The main thread reports only when it ends
/// by pthread_exit: with the process everything ends. True: it was none yet.
bool subscribe_thread_exit(std::weak_ptr<thread_exit_listener> const& listener);

} // namespace redlatch::io
