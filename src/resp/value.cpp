#include "resp/value.hpp"

namespace redlatch::resp {

bool value::is_error_named(std::string_view word) const noexcept {
    if (type != kind::error || !std::string_view(text).starts_with(word)) return false;
    return text.size() == word.size() || text[word.size()] == ' ';
}

} // namespace redlatch::resp
