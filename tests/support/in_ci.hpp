// Whether this is CI (environment CI=true), where nothing may be skipped for want of a program.
#pragma once

#include <cstdlib>
#include <string_view>

namespace redlatch::test {

inline bool in_ci() {
    char const* const value = std::getenv("CI");
    return value != nullptr && std::string_view(value) == "true";
}

} // namespace redlatch::test
