// What a listing finds: shown to a visitor as it comes, or kept until the end.
#pragma once

#include "api/name_prefix.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::detail {

template <class Seen> class listed {
public:
    using visitor = std::function<void(std::vector<Seen>)>;

    /// Without a visitor: take() has all of them. `prefix`: of the client, which names do not show.
    listed(std::string prefix, visitor each) : prefix_(std::move(prefix)), each_(std::move(each)) {}

    /// What one round trip brought. Throws what the visitor throws.
    void add(std::vector<Seen> some) {
        if (some.empty()) return;
        for (auto& one : some) one.name = without_prefix(prefix_, std::move(one.name));
        if (each_)
            each_(std::move(some));
        else
            std::move(some.begin(), some.end(), std::back_inserter(all_));
    }
    std::vector<Seen> take() noexcept { return std::exchange(all_, {}); }

private:
    std::string const prefix_;
    visitor const each_;
    std::vector<Seen> all_{};
};

} // namespace redlatch::detail
