// Where one RESP value ends, and the words of a command: what a proxy must know of the bytes it carries.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::test {

/// The number of bytes of the first complete value; none: incomplete. Throws std::runtime_error on bytes that are not
/// RESP.
std::optional<std::size_t> value_length(std::string_view bytes);

/// The words of one complete command (an array of bulk strings).
std::vector<std::string> command_words(std::string_view bytes);

} // namespace redlatch::test
