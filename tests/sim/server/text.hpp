// How Redis reads numbers, names and patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::sim {

/// The one decimal form of each number: no sign but '-', no leading zeros, no blanks, no "-0".
std::optional<std::int64_t> integer_in(std::string_view text) noexcept;

/// A score of a sorted set: any number but nan, also inf.
std::optional<double> score_in(std::string_view text);
std::string shown_score(double score);

/// Places from `first` to `last`, both included; below zero: from behind.
struct place_range {
    std::int64_t first;
    std::int64_t last;
    /// Of so many: from here on, and no further than there.
    std::pair<std::size_t, std::size_t> within(std::int64_t size) const noexcept;
};
std::optional<place_range> range_of(std::string_view first, std::string_view last) noexcept;

/// ASCII letters only, whatever the locale.
std::string lower(std::string_view text);
bool same_word(std::string_view one, std::string_view other) noexcept;

/// As a server written in C prints it: up to a zero byte, and at most so many characters.
std::string printed(std::string_view text, std::size_t most = std::string_view::npos);

/// KEYS, SCAN MATCH, PSUBSCRIBE: * ? [a-z] [^a] and \ before a literal.
bool matches(std::string_view pattern, std::string_view text) noexcept;

/// The same on every machine and with every compiler.
std::uint64_t stable_hash(std::string_view text) noexcept;

} // namespace redlatch::sim
