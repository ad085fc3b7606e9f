// A thread of its own for what may block: other servers, name servers, files.
#pragma once

#include <functional>

namespace redlatch::io {

/// Runs `work` on a thread for which nobody waits. Throws std::system_error where none can be started. What `work` throws ends
/// the program.
void begin_detached(std::function<void()> work);

} // namespace redlatch::io
