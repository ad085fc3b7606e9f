// What a release publishes. wire: protocol section 0.5; Redisson reads the text as a decimal number, so it hears both alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace redlatch::locking {

/// Redisson's UNLOCK_MESSAGE: the lock is free. Of a process that does not know of any other, and of all that take no turns.
inline constexpr std::string_view unlock_message = "0";
/// The lock is free, but this process will probably take it again at once: its turn goes on.
inline constexpr std::string_view turn_goes_on = "00";
/// The lock is free, and the next process's turn has come.
inline constexpr std::string_view turn_ends = "000";
/// More zeros: the next process's turn has come, and as many processes that were thought to be before this one did not ask:
/// those behind it count them as gone.
inline constexpr std::string_view most_zeros = "000000000000000000";

/// The next process's turn has come, and this one has been counted already: as one of those that did not ask, which it was too
/// slow for.
inline constexpr std::string_view counted_turn_ends = "-0";

/// `absent`: processes that did not ask when it was their turn. Below zero: this one was counted as absent by others.
constexpr std::string_view end_of_turn(std::int64_t absent) noexcept {
    if (absent < 0) return counted_turn_ends;
    auto const most = static_cast<std::int64_t>(most_zeros.size() - turn_ends.size());
    return most_zeros.substr(0, turn_ends.size() + static_cast<std::size_t>(std::min(absent, most)));
}

/// It is one of the four above: its sender takes turns.
constexpr bool knows_turns(std::string_view message) noexcept {
    if (message == counted_turn_ends) return true;
    return message.size() >= turn_goes_on.size() && message.size() <= most_zeros.size()
           && message == most_zeros.substr(0, message.size());
}

/// How many turns a message ends: the one of its process, and those of processes that did not ask. Any other text is of
/// somebody who knows nothing of turns.
constexpr std::uint64_t turns_ended_by(std::string_view message) noexcept {
    if (!knows_turns(message)) return 1;
    return message == turn_goes_on || message == counted_turn_ends ? 0 : 1 + message.size() - turn_ends.size();
}

} // namespace redlatch::locking
