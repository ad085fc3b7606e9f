// A blocking socket with the least RESP that the floors need: nothing can be cheaper and still talk to Redis.
#pragma once

#include "measure/address.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::bench {

struct raw_reply {
    char type = 0; ///< as on the wire; '$' with integer -1 is nil
    std::int64_t integer = 0;
    std::string text{}; ///< of an error too
    std::vector<raw_reply> items{};

    bool is_nil() const noexcept { return type == '$' && integer == -1; }
};

/// An array of bulk strings.
std::string raw_command(std::vector<std::string> const& arguments);

/// Throws std::runtime_error when the server goes away or answers with an error.
class raw_connection {
public:
    explicit raw_connection(address const& where);
    raw_connection(raw_connection const&) = delete;
    raw_connection& operator=(raw_connection const&) = delete;
    ~raw_connection();

    void send(std::string_view bytes);
    raw_reply receive();
    /// As receive(), but an error of the server is a reply too.
    raw_reply receive_any();
    raw_reply ask(std::string_view bytes) {
        send(bytes);
        return receive();
    }
    /// What is there of a connection whose replies somebody else reads.
    int descriptor() const noexcept { return socket_; }
    /// True when bytes are there, or come within the limit.
    bool readable(std::chrono::milliseconds limit) const;

private:
    void fill();
    std::string_view line();

    int socket_ = -1;
    std::string buffer_ = std::string(16384, '\0');
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

} // namespace redlatch::bench
