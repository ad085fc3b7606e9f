// How many sockets this process has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

namespace redlatch::test {

inline std::ptrdiff_t open_sockets() {
    using files = std::filesystem::directory_iterator;
    std::error_code gone; // the descriptor of the list itself is in it
    return std::count_if(files("/proc/self/fd"), files(), [&](auto const& one) {
        return std::filesystem::read_symlink(one.path(), gone).native().starts_with("socket:");
    });
}

} // namespace redlatch::test
