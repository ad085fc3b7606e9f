// Locks in columns, printed as they come.
#pragma once

#include "text_table.hpp"

#include <redlatch/lock_info.hpp>
#include <redlatch/permit_info.hpp>

#include <span>
#include <string>

namespace redlatch::cli {

class lock_table {
public:
    lock_table();

    /// A row for each holder, or one for the queue of a lock that nobody holds; the heading before the first. The column TOKEN
    /// is there from the first lock that ever gave out a fencing token; where others are shown before it, the heading is
    /// written anew.
    std::string rows_of(std::span<lock_info const> locks);
    /// A row for each semaphore: in COUNT how many of its permits are taken, in TTL when the first one comes back.
    std::string rows_of(std::span<permit_info const> semaphores);

private:
    bool with_tokens_ = false;
    text_table table_;
};

/// How long the key lives still.
std::string time_left(lock_info const& lock);

} // namespace redlatch::cli
