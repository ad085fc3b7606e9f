// Are we in the child of a fork?
#pragma once

#include <cstdint>

namespace redlatch::io {

/// Grows in the child of every fork of this process. One relaxed load.
std::uint64_t fork_generation() noexcept;

} // namespace redlatch::io
