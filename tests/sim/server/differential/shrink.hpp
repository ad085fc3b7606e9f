// The least part of a list that still shows the fault.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace redlatch::sim {

/// Leaves out ever smaller stretches as long as `fails` holds for the rest. `whole` fails.
template <class Item, class Fails> std::vector<Item> shrunk(std::vector<Item> whole, Fails&& fails) {
    for (std::size_t stretch = std::max<std::size_t>(whole.size() / 2, 1); stretch > 0; stretch /= 2) {
        for (std::size_t at = 0; at < whole.size();) {
            auto rest = whole;
            auto const first = rest.begin() + static_cast<std::ptrdiff_t>(at);
            rest.erase(first, first + static_cast<std::ptrdiff_t>(std::min(stretch, rest.size() - at)));
            if (fails(std::as_const(rest))) {
                whole = std::move(rest);
            } else {
                at += stretch;
            }
        }
    }
    return whole;
}

} // namespace redlatch::sim
