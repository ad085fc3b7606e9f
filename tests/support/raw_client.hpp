// A small blocking client without any cleverness: the test's own view of the server.
#pragma once

#include "resp/command.hpp"
#include "resp/reader.hpp"
#include "resp/value.hpp"
#include "support/endpoint.hpp"
#include "support/wait_until.hpp"

#include <chrono>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::test {

/// The server, or somebody between, ended the connection.
struct connection_ended : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thread safety: distinct objects: safe. Shared objects: not safe.
class raw_client {
public:
    /// Connects, or throws connection_ended.
    explicit raw_client(endpoint const& where);

    /// Sends and waits for the reply; throws std::runtime_error when the connection ends or nothing comes. An error
    /// reply is a value.
    template <std::convertible_to<std::string_view>... Arguments> resp::value command(Arguments const&... arguments) {
        send(resp::command(arguments...));
        return receive();
    }
    resp::value command(std::vector<std::string> const& arguments);

    void send(std::string_view bytes);
    resp::value receive(std::chrono::milliseconds limit = patience);
    /// None: nothing came within the limit. Throws when the connection ends.
    std::optional<resp::value> receive_if_any(std::chrono::milliseconds limit);

private:
    descriptor socket_;
    resp::reader reader_;
};

} // namespace redlatch::test
