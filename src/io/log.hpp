// Writes to the sink that the user has set (redlatch/log.hpp).
#pragma once

#include <redlatch/log.hpp>

#include <string_view>

namespace redlatch::io {

/// Would a message of this level be heard? One relaxed load: ask before building an expensive line.
bool log_enabled(log_level level) noexcept;

/// Hands the line to the sink, on this thread. Call it without a mutex of ours held. What the sink throws is dropped.
void log(log_level level, std::string_view line) noexcept;

} // namespace redlatch::io
