#include "embedded/server_claim.hpp"

#include "base/crc64.hpp"
#include "base/error_text.hpp"
#include "io/unique_fd.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace redlatch::embedded {

namespace {

constexpr std::string_view prefix = "redlatch:";
constexpr std::size_t longest_name = sizeof(::sockaddr_un::sun_path) - 1; // an abstract name begins with a NUL byte

std::string name_for(std::filesystem::path const& folder) {
    std::error_code problem;
    auto const path = std::filesystem::canonical(folder, problem).string();
    if (problem)
        throw error(errc::bad_config, "the folder '" + io::printable(folder.string())
                                          + "' cannot be used for the private server: " + problem.message());
    auto name = std::string(prefix) + path;
    if (name.size() <= longest_name) return name;
    std::array<char, 16> digits{};
    auto const end = std::to_chars(digits.begin(), digits.end(), base::crc64(path), 16).ptr;
    return std::string(prefix) + "crc64:" + std::string(digits.begin(), end);
}

} // namespace

claim_address::claim_address(std::filesystem::path const& folder) {
    auto const name = name_for(folder);
    address_.sun_family = AF_UNIX;
    name.copy(address_.sun_path + 1, longest_name);
    size_ = static_cast<::socklen_t>(offsetof(::sockaddr_un, sun_path) + 1 + name.size());
}

std::string claim_address::text() const {
    return "@" + io::printable({address_.sun_path + 1, size_ - offsetof(::sockaddr_un, sun_path) - 1});
}

std::optional<claimant> find_claimant(claim_address const& address) {
    io::unique_fd const asking(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!asking) throw error(errc::disconnected, "the private server cannot be looked for: " + base::error_text(errno));
    while (::connect(asking.get(), address.get(), address.size()) != 0) {
        if (errno == EINTR) continue;
        if (errno == ECONNREFUSED) return std::nullopt;
        return claimant{0, ::geteuid()}; // there, but its queue is full, or this program may not connect to it
    }
    ::ucred credentials{0, ::geteuid(), 0};
    ::socklen_t size = sizeof credentials;
    ::getsockopt(asking.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    return claimant{credentials.pid, credentials.uid};
}

bool make_claim(claim_address const& address, int number) noexcept {
    auto const made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // The queue is never emptied: each look at the claimant takes a place in it.
    return made >= 0 && ::bind(made, address.get(), address.size()) == 0 && ::listen(made, INT_MAX) == 0
           && ::dup2(made, number) == number;
}

} // namespace redlatch::embedded
