// Words of texts that servers send.
#pragma once

#include <algorithm>
#include <string_view>

namespace redlatch::connection {

/// Up to the separator, or to the end; both are taken off `text`.
inline std::string_view take_word(std::string_view& text, char separator) {
    auto const end = std::min(text.find(separator), text.size());
    auto const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

/// Of flags with commas between, as nodes of a cluster and Sentinels have them.
inline bool has_flag(std::string_view flags, std::string_view flag) {
    while (!flags.empty())
        if (take_word(flags, ',') == flag) return true;
    return false;
}

} // namespace redlatch::connection
