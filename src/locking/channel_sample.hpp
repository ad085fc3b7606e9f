// What a client has seen of a channel at some moment.
#pragma once

#include <cstdint>

namespace redlatch::locking {

/// Taken before a waiter asks the server: only what comes after it is news.
struct channel_sample {
    std::uint64_t count = 0;    ///< of all that could have been a wake-up: messages, confirmations, lost connections
    bool subscribed = false;    ///< confirmed by the server when the sample was taken
    std::uint64_t messages = 0; ///< of these, the messages
    std::uint64_t turns = 0;    ///< of these, the ends of a process's turn: turn_order.hpp
    std::uint64_t absent = 0;   ///< of these, the turns of those that did not ask
    bool turn_goes_on = false;  ///< the latest message ended none
    std::uint64_t foreign = 0;  ///< of the messages, those of somebody who takes no turns: Redisson
    std::uint64_t session = 0;  ///< equal numbers: counted without a gap; zero: there is no channel
    bool elsewhere = false;     ///< its slot of a cluster has another node: there may be no subscription here any more
};

} // namespace redlatch::locking
