// The folder in which a user's server lives, and the lock under which it is started and stopped.
#pragma once

#include "io/unique_fd.hpp"

#include <filesystem>
#include <optional>

namespace redlatch::embedded {

/// Throws error(bad_config) in a program that has more rights than its caller (AT_SECURE): PATH, in which the server is looked
/// for, and all of the environment is the caller's there.
void require_own_rights();

/// /tmp/redlatch-<uid>, or what REDLATCH_RUNTIME_DIR says. The uid is the kernel's: no other variable plays a part. Throws
/// error(bad_config) for a relative REDLATCH_RUNTIME_DIR, and as require_own_rights() does.
std::filesystem::path default_folder();

/// Makes the folder if it is not there. A real directory of this user that nobody else may enter: else error(bad_config). What
/// stands in /tmp may be anybody's trap.
void require_private_folder(std::filesystem::path const& folder);

/// An exclusive flock on a file in the folder, for the life of the object. It orders processes and threads.
class start_lock {
public:
    /// None while another process has it, and where the file was removed in between: try again. Throws error(bad_config) if
    /// the file cannot be opened.
    static std::optional<start_lock> try_take(std::filesystem::path const& folder);

    start_lock(start_lock&&) noexcept = default;
    start_lock& operator=(start_lock&&) = delete;
    ~start_lock();

private:
    explicit start_lock(io::unique_fd file) noexcept : file_(std::move(file)) {}
    io::unique_fd file_;
};

} // namespace redlatch::embedded
