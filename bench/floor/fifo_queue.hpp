// Threads of one process in the order in which they came: what a floor needs so that only one of them bothers the server.
#pragma once

#include <deque>
#include <mutex>
#include <semaphore>

namespace redlatch::bench {

class fifo_queue {
public:
    void enter() {
        std::binary_semaphore turn{0};
        {
            std::lock_guard const guard(mutex_);
            if (!busy_) {
                busy_ = true;
                return;
            }
            waiting_.push_back(&turn);
        }
        turn.acquire();
    }

    void leave() {
        std::binary_semaphore* next = nullptr;
        {
            std::lock_guard const guard(mutex_);
            if (waiting_.empty()) {
                busy_ = false;
                return;
            }
            next = waiting_.front();
            waiting_.pop_front();
        }
        next->release();
    }

private:
    std::mutex mutex_;
    bool busy_ = false;
    std::deque<std::binary_semaphore*> waiting_;
};

} // namespace redlatch::bench
