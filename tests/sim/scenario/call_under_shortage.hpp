// A call of a worker's into the library, whose process may be short of memory or of threads.
#pragma once

#include "sim/scenario/stage.hpp"
#include "sim/world/shortage.hpp"

#include <new>
#include <system_error>

namespace redlatch::sim {

/// Where the process is short of memory, one of the first requests of the call is refused. False: what was missing has ended
/// the call, and `ec` says so.
template <class Call> bool call_under_shortage(stage& in, actor const& who, std::error_code& ec, Call const& call) {
    constexpr std::int64_t most_earlier = 24;
    try {
        memory_refusal const now(who.who->short_of_memory ? in.universe.chance().up_to(most_earlier) : -1);
        call();
        return true;
    } catch (std::bad_alloc const&) {
        ec = std::make_error_code(std::errc::not_enough_memory);
    } catch (std::system_error const& problem) {
        if (problem.code() != std::errc::resource_unavailable_try_again) throw;
        ec = problem.code();
    }
    return false;
}

/// When a call that waits is in the queue of its process at the latest; never: it does not wait.
inline moment queued_by(actor const& who, job::how asks, moment now) {
    if (asks == job::how::once) return never;
    auto by = now;
    if (asks == job::how::asynchronous) by += std::chrono::milliseconds(6); // it begins on the client's own thread
    if (who.who->short_of_memory) by += std::chrono::milliseconds(6); // what lacked memory is done again after 5 ms
    return by;
}

} // namespace redlatch::sim
