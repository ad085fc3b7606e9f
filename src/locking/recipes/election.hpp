// Who leads an election: the holder of its lock. wire: protocol section 8.
#pragma once

#include "locking/counter.hpp"
#include "locking/recipe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redlatch::locking::election {

inline constexpr std::size_t longest_candidate = 256;

/// 1 to 256 bytes, without control characters in ASCII.
bool is_candidate(std::string_view text) noexcept;
/// What stands behind the owner ids of a candidate.
std::string owner_suffix(std::string_view candidate);
/// The candidate's name in the id of an owner; empty: it has none.
std::string_view candidate_in(std::string_view owner_id) noexcept;

/// While nobody leads, for so long an observer does not ask again: that somebody begins to lead is not published.
inline constexpr base::milliseconds vacancy_pause{1'000};

/// Of the answer to who leads.
struct leader {
    bool changed = false;   ///< it is another one than that of the request, or none was named there
    std::string owner_id{}; ///< empty: nobody leads
    std::optional<std::uint64_t> token{};
    std::optional<base::milliseconds> remaining_lease{}; ///< none: without expiry, or nobody leads
};

wire_call ask(std::string_view name);
/// None: it is not understood.
std::optional<leader> read(resp::value const& reply);

} // namespace redlatch::locking::election
