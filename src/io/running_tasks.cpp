#include "io/running_tasks.hpp"

namespace redlatch::io {

void running_tasks::remove(async_task& task) noexcept {
    std::shared_ptr<async_task> dropped; // its destructor runs without the mutex
    std::lock_guard guard(mutex_);
    dropped = tasks_.remove(task);
}

std::vector<std::shared_ptr<async_task>> running_tasks::all() const {
    std::lock_guard guard(mutex_);
    return tasks_.all();
}

running_tasks::inspection running_tasks::inspect(base::instant now) {
    std::lock_guard guard(mutex_);
    inspection found{tasks_.near_their_end(now), !tasks_.empty()};
    looked_after_ = found.again;
    return found;
}

} // namespace redlatch::io
