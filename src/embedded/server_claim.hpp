// The claim on a runtime folder: an abstract Unix socket, named after the path of the folder, that the server inherits.
//
// It is there exactly as long as the server, and nobody can remove it: when the folder is deleted under a server, the claim
// still says that it runs, and who it is. Nobody ever serves it: that it listens lets the kernel tell the process.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

namespace redlatch::embedded {

class claim_address {
public:
    /// For a folder that is there. All ways to write its path give the same address.
    explicit claim_address(std::filesystem::path const& folder);

    ::sockaddr const* get() const noexcept { return reinterpret_cast<::sockaddr const*>(&address_); }
    ::socklen_t size() const noexcept { return size_; }
    /// As ss(8) shows it: `@redlatch:/tmp/redlatch-1000`.
    std::string text() const;

private:
    ::sockaddr_un address_{};
    ::socklen_t size_ = 0;
};

/// Whoever has the claim.
struct claimant {
    ::pid_t process; ///< 0: not visible from here
    ::uid_t user;    ///< of this program where it is not to be seen
};

/// None where the claim is free. Looks into this network namespace only.
std::optional<claimant> find_claimant(claim_address const& address);

/// In the process that becomes the server: makes the claim on the descriptor `number`, which outlives exec. False, with errno,
/// if that cannot be done; EADDRINUSE: another one has it. Async-signal-safe.
bool make_claim(claim_address const& address, int number) noexcept;

} // namespace redlatch::embedded
