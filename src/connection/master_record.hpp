// Which server was last known to be the master, as Sentinels have said it.
//
// A failover has a number, the epoch, that is larger than that of the one before. A Sentinel that has not heard of the last
// one names the old master, with a smaller epoch.
#pragma once

#include "connection/host_and_port.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace redlatch::connection {

/// Not thread-safe.
class master_record {
public:
    struct statement {
        host_and_port master{};
        std::optional<std::uint64_t> epoch{}; ///< none: the Sentinel does not tell it
    };

    std::optional<host_and_port> master() const { return known_ ? std::optional(known_->master) : std::nullopt; }

    /// Whether nothing newer is known.
    bool is_up_to_date(statement const& said) const noexcept {
        return !is_numbered(said) || *said.epoch >= *known_->epoch;
    }

    /// It is known to be about a later failover than the last one that is known.
    bool is_newer(statement const& said) const noexcept { return is_numbered(said) && *said.epoch > *known_->epoch; }

    /// Sentinels were asked, and this is the best that they say. Where to connect to: of the same epoch it is the same server,
    /// which another Sentinel may know by another name.
    host_and_port const& choose(statement const& said) {
        if (doubted_ || !is_numbered(said) || said.epoch != known_->epoch) accept(said);
        return known_->master;
    }

    /// There is no master where it was said to be.
    void doubt(host_and_port const& address) noexcept { doubted_ = doubted_ || (known_ && known_->master == address); }

    /// A Sentinel has said this by itself. True: there was a failover. All connections belong to master() now.
    bool on_news(statement const& said) {
        auto const before = std::exchange(last_news_, said.master);
        // Without epochs each thing is believed once.
        bool const newer = is_numbered(said) ? *said.epoch > *known_->epoch : before != said.master;
        if (known_ && !newer) return false;
        bool const moved = !known_ || known_->master != said.master;
        accept(said);
        return moved;
    }

private:
    bool is_numbered(statement const& said) const noexcept { return known_ && known_->epoch && said.epoch; }
    void accept(statement const& said) {
        known_ = said;
        doubted_ = false;
    }

    std::optional<statement> known_{};
    bool doubted_ = false;
    std::optional<host_and_port> last_news_{};
};

} // namespace redlatch::connection
