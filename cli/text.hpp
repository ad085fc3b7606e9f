// Text that is safe to show, and descriptors to show it on.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace redlatch::cli {

/// Names may be any bytes. Control characters (a terminal would obey them), marks that turn the direction of writing or cannot
/// be seen, and bytes that are not UTF-8 become \xNN, a backslash is doubled; everything else stays.
std::string printable(std::string_view bytes);

/// A whole message: as printable(), but a backslash stays as it is.
std::string printable_message(std::string_view bytes);

/// A line of JSON, in UTF-8: the same characters become \uNNNN.
std::string printable_json(std::string_view line);

/// The width on a terminal.
std::size_t columns(std::string_view utf8) noexcept;

/// As printable(), in so many columns at the most: of what is longer the beginning, `...` and the end.
std::string shortened(std::string_view bytes, std::size_t most);

/// All of it, also when the other end is slow; false when the descriptor cannot be written to.
bool write_all(int descriptor, std::string_view bytes) noexcept;

/// All of it, if that can be done without waiting for whoever reads it; false: it was not written. A pipe takes a line of up to
/// 4096 bytes (PIPE_BUF) whole or not at all, longer ones are not written to it; a terminal may take the beginning of one. A
/// file is no reader.
bool write_at_once(int descriptor, std::string_view line) noexcept;

/// stdout cannot be written to: closed, or its disk is full.
struct output_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// To stdout; throws output_error.
void print(std::string_view text);

} // namespace redlatch::cli
