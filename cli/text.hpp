// Text that is safe to show, and descriptors to show it on.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::cli {

/// Names may be any bytes. Control characters (a terminal would obey them) and bytes that are not UTF-8 become \xNN, a
/// backslash is doubled; everything else stays.
std::string printable(std::string_view bytes);

/// A whole sentence: as printable(), but a backslash stays as it is.
std::string printable_sentence(std::string_view bytes);

/// The width on a terminal, counted as one column for each character.
std::size_t columns(std::string_view utf8) noexcept;

/// All of it, also when the other end is slow; false when the descriptor cannot be written to.
bool write_all(int descriptor, std::string_view bytes) noexcept;

/// To stdout. A closed stdout is not an error of the lock: it is reported by false only.
bool print(std::string_view text) noexcept;

} // namespace redlatch::cli
