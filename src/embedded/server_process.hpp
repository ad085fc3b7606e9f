// The server as a process of this machine: started detached, seen through /proc, ended.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

namespace redlatch::embedded {

/// Starts `program` in `folder`, detached from everything that the caller has: a session of its own, no terminal, no
/// descriptor, no environment, no limits on its CPU time. Returns its process id once it has been executed; it does not
/// answer yet. Everything it may ever write (messages, nothing else) is bounded. Throws error(disconnected).
::pid_t start_detached(std::filesystem::path const& program, std::filesystem::path const& folder);

/// What the server last started in this folder has said, for a sentence; empty if nothing.
std::string last_words(std::filesystem::path const& folder);

/// The process recorded in the folder, if it is alive and works in it. A recycled process id is not taken for it.
std::optional<::pid_t> recorded_process(std::filesystem::path const& folder);

/// Neither gone nor a zombie.
bool is_alive(::pid_t process);

/// Waits for its end; false when it is still alive at the deadline.
bool wait_for_end(::pid_t process, lease_clock::time_point deadline);

} // namespace redlatch::embedded
