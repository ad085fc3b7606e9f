#include "io/fork_guard.hpp"

#include <atomic>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace redlatch::io {
namespace {

using mark = std::atomic<std::uint64_t>;

// Relaxed: the numbers only have to differ. A child begins with its parent's.
constinit std::atomic<std::uint64_t> last_number{0};
constinit std::atomic<mark*> the_mark{nullptr};

/// Zero in a new process. It lives in a page that the kernel empties in the child of every fork, however that was made; where
/// the kernel cannot do that (before Linux 4.14), the handler below does it for those that run handlers.
mark* make_mark() noexcept {
    static constinit mark without_a_page{0};
    auto const size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mark* fresh = &without_a_page;
    if (page != MAP_FAILED) {
        ::madvise(page, size, MADV_WIPEONFORK);
        fresh = new (page) mark(0);
    }
    mark* known = nullptr;
    if (!the_mark.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) {
        if (page != MAP_FAILED) ::munmap(page, size);
        return known;
    }
    ::pthread_atfork(nullptr, nullptr,
                     [] { the_mark.load(std::memory_order_relaxed)->store(0, std::memory_order_relaxed); });
    return fresh;
}

} // namespace

std::uint64_t fork_generation() noexcept {
    auto* where = the_mark.load(std::memory_order_acquire); // pairs with make_mark
    if (where == nullptr) where = make_mark();
    auto known = where->load(std::memory_order_relaxed);
    if (known != 0) return known;
    auto const fresh = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
    return where->compare_exchange_strong(known, fresh, std::memory_order_relaxed) ? fresh : known;
}

} // namespace redlatch::io
