// What somebody may have meant who mistyped a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {

/// The candidate that differs least from what was given: by letters that are wrong, missing, too many or exchanged, at most one
/// in three; or the only one that begins with it. Empty: none is near.
std::string nearest(std::string_view given, std::vector<std::string> const& candidates);

} // namespace redlatch::cli
