// The name that somebody has meant who has written a similar one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redlatch {

/// The known name that is most like `name`, ignoring case and dashes; empty where none is near.
std::string nearest_key(std::string_view name, std::span<std::string_view const> known);

/// In lower case, without dashes: Spring takes names that differ in these only as the same.
std::string folded_key(std::string_view name);

} // namespace redlatch
