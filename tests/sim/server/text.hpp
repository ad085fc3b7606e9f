// How Redis reads numbers, names and patterns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redlatch::sim {

/// The one decimal form of each number: no sign but '-', no leading zeros, no blanks, no "-0".
std::optional<std::int64_t> integer_in(std::string_view text) noexcept;

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
