// The server as a process of this machine: started detached, seen through /proc, ended.
#pragma once

#include "embedded/server_claim.hpp"

#include <redlatch/lease_clock.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

namespace redlatch::embedded {

/// Starts `program` in `folder`, detached from everything that the caller has: a session of its own, no terminal, no
/// descriptor, no environment, no limits on its CPU time. It makes the claim, then removes an old socket. Returns its process
/// id once it has been executed, none if another process has the claim; it does not answer yet. Everything it may ever write
/// (messages, nothing else) is bounded. Throws error(disconnected).
std::optional<::pid_t> start_detached(std::filesystem::path const& program, std::filesystem::path const& folder,
                                      claim_address const& claim);

/// What the server last started in this folder has said, for a message; empty if nothing.
std::string last_words(std::filesystem::path const& folder);

/// The server of this user that works in the folder, or in one that stood at its path and was removed: for servers that have
/// no claim, or one that this program cannot see. It is looked for in /proc.
std::optional<::pid_t> find_server_process(std::filesystem::path const& folder);

/// Neither gone nor a zombie.
bool is_alive(::pid_t process);

/// Waits for its end; false when it is still alive at the deadline.
bool wait_for_end(::pid_t process, lease_clock::time_point deadline);

} // namespace redlatch::embedded
