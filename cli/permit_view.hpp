// What is shown of a permit semaphore, and of a number that may be one.
#pragma once

#include <redlatch/permit_info.hpp>

#include <cstdint>
#include <string>

namespace redlatch::cli {

/// A line, and one for each permit that is taken.
std::string text_of_permits(permit_info const& semaphore);
/// A line. The server does not know what a number counts.
std::string text_of_number(std::string const& name, std::int64_t value);

} // namespace redlatch::cli
