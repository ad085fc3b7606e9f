#include "io/holder_label.hpp"

#include "connection/holder_label.hpp"

#include <array>
#include <cerrno>
#include <unistd.h>

namespace redlatch::io {

std::string holder_label(config const& settings) {
    if (settings.holder_label) return *settings.holder_label;
    if (!settings.client_name.empty()) return {};
    constexpr std::size_t longest_host = 64;
    std::array<char, longest_host + 1> host{};
    if (::gethostname(host.data(), longest_host) != 0) host = {"?"};
    return connection::made_holder_label(std::string(host.data()) + ":" + std::to_string(::getpid()) + ":"
                                         + ::program_invocation_short_name);
}

} // namespace redlatch::io
