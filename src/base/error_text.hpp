// What the operating system says of an error number.
#pragma once

#include <string>
#include <system_error>

namespace redlatch::base {

/// Thread-safe, unlike strerror.
inline std::string error_text(int error_number) {
    return std::generic_category().message(error_number);
}

} // namespace redlatch::base
