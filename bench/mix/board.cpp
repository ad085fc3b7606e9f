#include "mix/board.hpp"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::bench {

mix_board::mix_board(std::size_t locks, std::size_t workers)
    : locks_(locks), workers_(workers),
      size_(sizeof(mix_heading) + locks * sizeof(mix_lock) + workers * sizeof(mix_worker)),
      file_(::memfd_create("redlatch-bench-mix", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    // All zero, which is where every atomic in it begins.
    void* const memory = ::ftruncate(file_, static_cast<off_t>(size_)) == 0
                             ? ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                             : MAP_FAILED;
    if (memory == MAP_FAILED) {
        int const problem = errno;
        ::close(file_);
        throw std::system_error(problem, std::generic_category(), "the board of a mix");
    }
    memory_ = static_cast<std::byte*>(memory);
}

mix_board::~mix_board() {
    ::munmap(memory_, size_);
    ::close(file_);
}

mix_lock& mix_board::lock(std::size_t which) const noexcept {
    return reinterpret_cast<mix_lock*>(memory_ + sizeof(mix_heading))[which];
}

mix_worker& mix_board::worker(std::size_t which) const noexcept {
    return reinterpret_cast<mix_worker*>(memory_ + sizeof(mix_heading) + locks_ * sizeof(mix_lock))[which];
}

std::string mix_board::path() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_);
}

} // namespace redlatch::bench
