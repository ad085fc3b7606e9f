// A server that is not one: it says what the test wants.
#pragma once

#include "support/endpoint.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace redlatch::test {

/// One connection, as the test's function sees it. Usable on the thread that got it.
class fake_connection {
public:
    fake_connection(int socket, std::atomic<bool> const& ending) noexcept : socket_(socket), ending_(&ending) {}

    /// Reads what is there; empty: the client has gone, or the test ends.
    std::string read();
    /// False: the client has gone, or the test ends. Waits while the client does not read.
    bool write(std::string_view bytes);
    /// Waits until the client has gone or the test ends.
    void wait_for_end();

private:
    bool wait_for(short events) const;
    int socket_;
    std::atomic<bool> const* ending_;
};

/// Serves each connection on a thread of its own by `serve`; the connection ends when that returns.
class fake_server {
public:
    explicit fake_server(std::function<void(fake_connection&)> serve);
    fake_server(fake_server const&) = delete;
    fake_server& operator=(fake_server const&) = delete;
    ~fake_server();

    endpoint const& address() const noexcept { return address_; }
    std::string uri() const { return address_.uri(); }
    /// So many connections have been accepted.
    int accepted() const noexcept { return accepted_; }

private:
    void accept_all();

    std::function<void(fake_connection&)> serve_;
    temporary_folder folder_;
    endpoint address_;
    descriptor listener_;
    std::atomic<bool> ending_{false};
    std::atomic<int> accepted_{0};
    std::vector<std::thread> connections_; ///< of the accepting thread until it has ended
    std::thread acceptor_;
};

} // namespace redlatch::test
