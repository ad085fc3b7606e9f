// Which descriptors the library has open, so that the child of a fork can close those of its parent, also where a thread that
// only the parent has was about to use or to close them. Takes no mutex, allocates nothing but pages of its own. Thread-safe.
#pragma once

namespace redlatch::io {

/// Asks the kernel which file it is.
void note_opened(int descriptor) noexcept;
/// Before it is closed. False: it is not to be closed, as it is the parent's, which a child closes by the function below.
bool note_closed(int descriptor) noexcept;

/// In the child of a fork: closes what a process before it has opened. Async-signal-safe.
void close_descriptors_of_parent() noexcept;

} // namespace redlatch::io
