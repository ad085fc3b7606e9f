// Where the server of the benchmark listens, one of the two ways.
#pragma once

#include <cstdint>
#include <string>

namespace redlatch::bench {

struct address {
    std::string path{};     ///< of a Unix socket; empty: TCP
    std::uint16_t port = 0; ///< on 127.0.0.1

    bool is_unix() const noexcept { return !path.empty(); }
    std::string uri() const { return is_unix() ? "unix://" + path : "redis://127.0.0.1:" + std::to_string(port); }
};

} // namespace redlatch::bench
