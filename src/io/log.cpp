#include "io/log.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace redlatch::io {

namespace {

constexpr int silent = static_cast<int>(log_level::error) + 1;

struct sink_holder {
    std::mutex mutex;
    std::shared_ptr<log_sink const>
        sink; // guarded by mutex; called without it, so that a sink may be replaced meanwhile
};

// Never destroyed: background threads and static destructors may still log at exit.
sink_holder& holder() {
    static auto& instance = *new sink_holder;
    return instance;
}

// Relaxed: a message that races with set_log_sink may go either way. The sink itself is read under the mutex.
constinit std::atomic<int> threshold{silent};

} // namespace

bool log_enabled(log_level level) noexcept {
    return static_cast<int>(level) >= threshold.load(std::memory_order_relaxed);
}

void log(log_level level, std::string_view line) noexcept {
    if (!log_enabled(level)) return;
    try {
        std::shared_ptr<log_sink const> sink;
        {
            std::scoped_lock const guard(holder().mutex);
            sink = holder().sink;
        }
        if (sink) (*sink)(level, line);
    } catch (...) {
        // A log that fails must not break what it reports on.
    }
}

} // namespace redlatch::io

namespace redlatch {

void set_log_sink(log_sink sink, log_level least) {
    using namespace io;
    auto next = sink ? std::make_shared<log_sink const>(std::move(sink)) : nullptr;
    std::scoped_lock const guard(holder().mutex);
    threshold.store(next ? static_cast<int>(least) : silent, std::memory_order_relaxed);
    holder().sink.swap(next);
    // The former sink ends with `next`, after the mutex is released (reverse order of declaration).
}

} // namespace redlatch
