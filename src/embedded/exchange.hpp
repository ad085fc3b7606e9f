// One blocking conversation with a server over its Unix socket, one command at a time.
#pragma once

#include "io/unique_fd.hpp"
#include "resp/command.hpp"
#include "resp/reader.hpp"
#include "resp/value.hpp"

#include <redlatch/lease_clock.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace redlatch::embedded {

/// Every wait ends at the deadline.
class exchange {
public:
    /// None where nobody serves the socket. Throws error(disconnected) when the socket cannot be used or is too busy.
    static std::optional<exchange> connect(std::filesystem::path const& socket, lease_clock::time_point deadline);

    /// Throws error: disconnected (silence, end), bad_reply. Error replies are values.
    template <std::convertible_to<std::string_view>... Arguments> resp::value command(Arguments const&... arguments) {
        return send_and_read(resp::command(arguments...));
    }

    /// Waits until the server closes the connection; false when it has not by the deadline.
    bool wait_for_close();

    /// The process that serves the socket, as the kernel knows it; 0 where it lives in another container.
    ::pid_t peer() const noexcept;

    void set_deadline(lease_clock::time_point deadline) noexcept { deadline_ = deadline; }

private:
    exchange(io::unique_fd socket, std::string name, lease_clock::time_point deadline) noexcept;
    resp::value send_and_read(std::string_view bytes);
    void wait_for(short events);
    [[noreturn]] void fail(std::string const& reason) const;

    io::unique_fd socket_;
    std::string name_;
    lease_clock::time_point deadline_;
    resp::reader reader_;
};

/// Where a server of this folder listens.
inline std::filesystem::path socket_in(std::filesystem::path const& folder) {
    return folder / "redis.sock";
}

/// Whether a server answers. One that is loading or ending does not, nor one that hangs, until the deadline.
bool answers(std::filesystem::path const& socket, lease_clock::time_point deadline);

/// Between two looks at things that cannot be waited for together.
void pause_before_next_look();

} // namespace redlatch::embedded
