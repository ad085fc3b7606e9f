// fork() copies the descriptors before it copies the memory. A socket that was closed in between is open in the child although
// its mark says otherwise; so the mark of a socket stays, and says which one it was: no other socket has its inode. Of other
// kinds many may have the same inode (eventfds), and their marks go when they are closed.
#include "io/open_descriptors.hpp"

#include "io/fork_guard.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::io {
namespace {

/// Relaxed: a descriptor comes to another thread by what orders that anyway.
struct descriptor_mark {
    std::atomic<std::uint64_t> opened_by{0}; ///< the fork_generation() of a process; zero: the number is not ours
    std::atomic<std::uint64_t> identity{0};
};

constexpr std::size_t marks_in_page = 256;
/// For as many descriptors as Linux lets a process have (fs.nr_open, 1,048,576).
constexpr std::size_t most_pages = 4096;

constinit std::array<std::atomic<descriptor_mark*>, most_pages> pages{};

constexpr std::uint64_t kind_bits = 4;
constexpr std::uint64_t kind_of_socket = S_IFSOCK >> 12;

/// The inode and the kind of file; zero: it is not open.
std::uint64_t identity_of(int descriptor) noexcept {
    struct stat found {};
    if (::fstat(descriptor, &found) != 0) return 0;
    return (static_cast<std::uint64_t>(found.st_ino) << kind_bits) + ((found.st_mode & S_IFMT) >> 12);
}

bool is_socket(std::uint64_t identity) noexcept {
    return (identity & ((1U << kind_bits) - 1)) == kind_of_socket;
}

/// Nothing where there is no memory for it.
void make_page(std::size_t index) noexcept {
    constexpr auto size = marks_in_page * sizeof(descriptor_mark);
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    auto* const fresh = new (memory) descriptor_mark[marks_in_page]();
    descriptor_mark* none = nullptr;
    if (!pages[index].compare_exchange_strong(none, fresh, std::memory_order_acq_rel)) ::munmap(memory, size);
}

/// Null: it was never noted.
descriptor_mark* find_mark(int descriptor, bool make) noexcept {
    auto const number = static_cast<std::size_t>(descriptor);
    if (descriptor < 0 || number / marks_in_page >= most_pages) return nullptr;
    auto const& page = pages[number / marks_in_page];
    if (make && page.load(std::memory_order_relaxed) == nullptr) make_page(number / marks_in_page);
    auto* const found = page.load(std::memory_order_acquire); // pairs with make_page
    return found == nullptr ? nullptr : found + number % marks_in_page;
}

void close_if_of_parent(descriptor_mark& known, int descriptor) noexcept {
    auto opened_by = known.opened_by.load(std::memory_order_relaxed);
    if (opened_by == 0 || opened_by == fork_generation()) return;
    auto const identity = known.identity.load(std::memory_order_relaxed);
    if (!known.opened_by.compare_exchange_strong(opened_by, 0, std::memory_order_relaxed)) return; // by another thread
    if (identity != 0 && identity_of(descriptor) == identity) ::close(descriptor);
}

} // namespace

void note_opened(int descriptor) noexcept {
    auto* const known = find_mark(descriptor, true);
    if (known == nullptr) return;
    known->identity.store(identity_of(descriptor), std::memory_order_relaxed);
    known->opened_by.store(fork_generation(), std::memory_order_relaxed);
}

bool note_closed(int descriptor) noexcept {
    auto* const known = find_mark(descriptor, false);
    if (known == nullptr) return true;
    if (known->opened_by.load(std::memory_order_relaxed) != fork_generation()) return false;
    if (!is_socket(known->identity.load(std::memory_order_relaxed)))
        known->opened_by.store(0, std::memory_order_relaxed);
    return true;
}

void close_descriptors_of_parent() noexcept {
    for (std::size_t index = 0; index < most_pages; ++index) {
        auto* const page = pages[index].load(std::memory_order_acquire); // pairs with make_page
        if (page == nullptr) continue;
        for (std::size_t at = 0; at < marks_in_page; ++at)
            close_if_of_parent(page[at], static_cast<int>(index * marks_in_page + at));
    }
}

} // namespace redlatch::io
