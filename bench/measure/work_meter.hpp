// What servers say about their work: one, or several that are measured as one.
#pragma once

#include "support/raw_client.hpp"

#include <map>
#include <string>

namespace redlatch::bench {

/// Differences of two of these are what a round has cost the servers.
struct server_work {
    double cpu_seconds = 0;
    std::map<std::string, double> calls{}; ///< by command, those inside scripts too; without our own questions

    server_work& operator+=(server_work const& other) {
        cpu_seconds += other.cpu_seconds;
        for (auto const& [name, count] : other.calls) calls[name] += count;
        return *this;
    }
};

class work_meter {
public:
    virtual ~work_meter() = default;
    /// Since the start of the servers.
    virtual server_work work() const = 0;

protected:
    work_meter() = default;
    work_meter(work_meter const&) = default;
    work_meter& operator=(work_meter const&) = default;
};

/// A field of INFO; empty: it is not there.
std::string info_field(test::raw_client& probe, std::string const& section, std::string const& name);
/// Of the server to which this is connected.
server_work work_seen_by(test::raw_client& probe);

} // namespace redlatch::bench
