#include "io/fork_guard.hpp"

#include <atomic>
#include <pthread.h>

namespace redlatch::io {
namespace {

std::atomic<std::uint64_t> generation{1};

} // namespace

std::uint64_t fork_generation() noexcept {
    static int const registered =
        ::pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
    static_cast<void>(registered);
    return generation.load(std::memory_order_relaxed);
}

} // namespace redlatch::io
