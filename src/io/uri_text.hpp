// Small text work on URIs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redlatch::io {

/// %XX replaced by its byte; none where a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

/// What must be escaped in the path of a URI is.
std::string percent_encoded_path(std::string_view path);

/// Unprintable bytes as \xNN, and cut with … where it is longer than `most` bytes. For quoting what a user wrote.
std::string printable(std::string_view text, std::size_t most = 200);

/// ASCII only.
std::string lower_case(std::string_view text);

/// Whether a password stands in front of the host, also in a malformed URI.
bool has_password(std::string_view uri);

/// The URI fit for a message: everything that may be a password is masked, unprintable bytes are escaped, and it is
/// cut at a readable length. For malformed ones too.
std::string masked_uri(std::string_view uri);

} // namespace redlatch::io
