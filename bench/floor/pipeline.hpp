// Many cycles in flight on one connection, from one thread: what has been answered is asked next, everything that one read
// brings in goes out with one write. No client with one connection and one thread can be cheaper.
#pragma once

#include "floor/lock_requests.hpp"
#include "floor/raw_connection.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace redlatch::bench {

class pipeline {
public:
    /// Each cycle has a lock of its own, PREFIX:0 and so on.
    pipeline(address const& where, form which, int in_flight, std::string const& prefix);

    /// Sends what is due and reads what is there, at least one byte. Returns the number of cycles that have ended.
    /// Throws std::runtime_error for an answer that is not the one of a free lock.
    std::uint64_t turn();
    /// Releases what is held.
    void finish();

private:
    struct cycle {
        std::string acquire;
        std::string release;
    };
    /// Whose answer comes next, and how many lines it has.
    struct expected {
        std::size_t cycle;
        bool releases;
        std::size_t lines;
    };

    std::uint64_t answered(std::string_view line);
    void ask(std::size_t which, bool release);

    raw_connection connection_;
    std::size_t release_lines_;
    std::vector<cycle> cycles_;
    std::deque<expected> due_;
    std::string out_;
    std::string in_;
    bool finishing_ = false;
};

} // namespace redlatch::bench
