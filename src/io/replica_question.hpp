// Whether replicas have what has just been acquired.
#pragma once

#include "base/time.hpp"
#include "base/waker.hpp"
#include "locking/recipe.hpp"
#include "locking/wire_call.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace redlatch::io {

/// Written by its replica_lane until it has ended; then it is its sender's.
struct replica_question {
    enum class end : std::uint8_t {
        open,
        counted,  ///< `confirmed` says how many
        not_held, ///< it is not there any more
        refused,  ///< the server said an error: `said`
        closed,   ///< the client closes
    };

    /// Writes once more what replicas are to have, as it is: nothing changes. The node that has its key is asked.
    locking::wire_call mark{};
    locking::count_reply (*read_mark)(resp::value const& reply) = nullptr;
    int replicas = 1; ///< replica_demand
    base::instant until{};
    base::waker waker{};

    std::atomic<end> ended{end::open};
    std::atomic<bool> unwanted{false}; ///< its sender does not wait any more
    std::atomic<int> confirmed{-1};    ///< so far; -1: no count has been answered
    std::atomic<int> connected{-1};    ///< as the server said, where all are waited for; -1: it has not
    std::string said{};                ///< of refused
    bool cannot_wait = false;          ///< of refused: what is there to ask replicas was refused, not the write

    // The lane's own.
    bool by_text = false; ///< the server did not know the script
    bool asking = false;  ///< ASK has sent it here
    int redirects = 0;

    void finish(end result) {
        auto const who = std::move(waker);
        ended.store(result, std::memory_order_release); // pairs with has_ended
        if (who) who->wake();
    }
    bool has_ended() const noexcept { return ended.load(std::memory_order_acquire) != end::open; }
};

using replica_question_ptr = std::shared_ptr<replica_question>;

} // namespace redlatch::io
