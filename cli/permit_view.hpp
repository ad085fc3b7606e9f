// What is shown of a permit semaphore, and of a number that may be one.
#pragma once

#include <redlatch/permit_info.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace redlatch::cli {

/// A line, and one for each permit that is taken.
std::string text_of_permits(permit_info const& semaphore);
/// Until the first of those that are taken comes back; "-": none is taken.
std::string time_left(permit_info const& semaphore);
/// A line. The server does not know what a number counts.
std::string text_of_number(std::string const& name, std::int64_t value);
/// Lines, where somebody has said what it counts. None: nothing has the name.
std::string text_of_semaphore(std::string const& name, std::optional<std::int64_t> permits);
std::string text_of_latch(std::string const& name, std::optional<std::int64_t> count);

} // namespace redlatch::cli
