// Whether a SCAN still gets somewhere. Cursors are the server's own, and nothing but its word says that they come to an end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redlatch::detail {

class scan_bounds {
public:
    /// How many keys the server has, by its own word; without it (no right to DBSIZE) only the widest bounds hold.
    void set_keys(std::int64_t keys) noexcept;
    /// A page came: the cursor that follows, how many keys it named, and how many of them for the first time. A message's
    /// end: this SCAN will not end. None: it may.
    std::optional<std::string> on_page(std::string_view cursor, std::size_t named, std::size_t fresh);

private:
    std::uint64_t most_pages_ = most_pages_at_all;
    std::uint64_t most_names_ = most_names_at_all;
    std::uint64_t pages_ = 0;
    std::uint64_t names_ = 0;
    std::uint64_t stale_ = 0; ///< pages in a row that named keys, and none of them for the first time
    // Brent's search for a circle: a cursor to compare with, replaced after 1, 2, 4, 8 ... pages.
    std::string former_{};
    std::uint64_t compared_ = 0;
    std::uint64_t replaced_after_ = 1;

    static constexpr std::uint64_t most_pages_at_all = 5'000'000;
    static constexpr std::uint64_t most_names_at_all = 10'000'000;
};

} // namespace redlatch::detail
