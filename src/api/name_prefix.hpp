// What the names of a client begin with on the server (config::name_prefix): added to what a caller names, taken off what is
// listed. As a NameMapper of a Java application does it.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::detail {

/// A name that begins with the prefix already stays as it is.
std::string with_prefix(std::string const& prefix, std::string const& name);
std::string without_prefix(std::string const& prefix, std::string name);
/// Of the names that match the pattern, with the prefix: for SCAN, to which some characters of a prefix mean others.
std::string pattern_with_prefix(std::string_view prefix, std::string_view pattern);

} // namespace redlatch::detail
