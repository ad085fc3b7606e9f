// Are we in the child of a fork?
#pragma once

#include <cstdint>

namespace redlatch::io {

/// Another number in each process, and in the child of every fork from its first moment on, also of one that runs no
/// pthread_atfork handlers (clone, posix_spawn of other runtimes). Two loads, no system call; takes no mutex.
std::uint64_t fork_generation() noexcept;

} // namespace redlatch::io
