// Who has called a command: a client, or a script on the server. INFO counts both alike; MONITOR tells them apart, but slows
// the server down. So a short round under MONITOR gives the shares, and INFO the numbers of the rounds that are measured.
#pragma once

#include "measure/address.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace redlatch::bench {

class command_origin {
public:
    /// A line of MONITOR: `1700000000.123456 [0 127.0.0.1:5000] "get" "x"`; where a script has called, `[0 lua]`.
    void add(std::string_view line);

    /// Of these calls, those that clients have sent. A command that was never seen counts as sent by clients.
    double sent_by_clients(std::map<std::string, double> const& calls) const;

private:
    struct tally {
        double clients = 0;
        double scripts = 0;
    };
    std::map<std::string, tally, std::less<>> seen_{};
};

/// What the server executes while the task runs.
command_origin observe(address const& where, std::function<void()> const& task);

} // namespace redlatch::bench
