// Whether the nodes of a cluster have begun to count their epochs anew, because it was made anew.
//
// A node that says smaller epochs than are known was cut off, and is not believed, as long as anybody is there who knows more.
// A cluster that was made anew at the same addresses has smaller epochs for good: all that can be asked say the same, again
// and again. A node that was cut off from its cluster serves nothing by then.
#pragma once

#include "base/time.hpp"
#include "connection/cluster_view.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace redlatch::connection {

/// Not thread-safe.
class lower_epochs {
public:
    struct claim {
        node_address owner{};
        std::uint64_t epoch = 0;
        std::uint16_t first = 0;
        std::uint16_t last = 0;

        bool operator==(claim const&) const = default;
    };
    static constexpr base::milliseconds least_time{2'000};
    static constexpr int least_answers = 10;

    /// `lower`: what is smaller than is known in what `from` has said.
    void on_answer(node_address const& from, std::vector<claim> lower, base::instant now) {
        if (lower.empty()) return forget(); // somebody knows what is known
        std::sort(lower.begin(), lower.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
        if (lower != claims_) {
            forget();
            claims_ = std::move(lower);
            since_ = now;
        }
        ++answers_;
        said_by_.insert(from);
    }
    bool is_suspected() const noexcept { return !claims_.empty(); }
    /// `there`: the nodes that can be asked.
    bool is_certain(std::span<node_address const> there, base::instant now) const {
        return is_suspected() && answers_ >= least_answers && now - since_ >= least_time
               && std::all_of(there.begin(), there.end(), [&](auto const& one) { return said_by_.contains(one); });
    }
    void forget() {
        claims_.clear();
        said_by_.clear();
        answers_ = 0;
    }

private:
    std::vector<claim> claims_{};
    std::set<node_address> said_by_{};
    int answers_ = 0;
    base::instant since_{};
};

} // namespace redlatch::connection
