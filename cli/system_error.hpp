// What the operating system refused, as an exception with a message.
#pragma once

#include <cerrno>
#include <system_error>

namespace redlatch::cli {

[[noreturn]] inline void throw_errno(char const* action) {
    throw std::system_error(errno, std::generic_category(), action);
}

} // namespace redlatch::cli
