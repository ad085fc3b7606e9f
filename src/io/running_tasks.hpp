// The asynchronous operations of a client that are under way.
#pragma once

#include "base/time.hpp"
#include "io/operation.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace redlatch::io {

/// Thread-safe.
class running_tasks {
public:
    enum class admission {
        refused, ///< the client is closed
        running,
        first, ///< and there was none: somebody is to look after them from now on
    };
    /// `closed` is asked under the mutex: who closes afterwards finds the task in all().
    template <class Closed> admission add(std::shared_ptr<async_task> const& task, Closed closed) {
        std::lock_guard guard(mutex_);
        if (closed()) return admission::refused;
        tasks_.add(task);
        task->open(); // whoever sees it there can wake it
        bool const first = !looked_after_;
        looked_after_ = true;
        return first ? admission::first : admission::running;
    }
    void remove(async_task& task) noexcept;
    std::vector<std::shared_ptr<async_task>> all() const;

    struct inspection {
        std::vector<std::shared_ptr<async_task>> near_their_end;
        bool again = false; ///< there are some, and they are to be looked after
    };
    inspection inspect(base::instant now);

private:
    mutable std::mutex mutex_; // guards what follows
    task_list tasks_;
    bool looked_after_ = false;
};

} // namespace redlatch::io
