// Where the library's own messages go. Nothing is printed by default.
#pragma once

#include <redlatch/export.hpp>

#include <functional>
#include <string_view>

namespace redlatch {

enum class log_level { debug, info, warning, error };

/// Called with one line, without a line feed. It may be called from any thread, also from the client's I/O thread: it must be
/// quick and must not call this library.
using log_sink = std::function<void(log_level, std::string_view)>;

/// Sets the sink for the whole process; an empty one switches logging off (the default). Messages below `least` are dropped.
/// Thread-safe.
REDLATCH_EXPORT void set_log_sink(log_sink sink, log_level least = log_level::info);

} // namespace redlatch
