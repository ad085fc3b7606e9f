// The ids of permits: 16 bytes on the wire, 32 hexadecimal characters to users.
#pragma once

#include "api/counter_impl.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::detail {

/// As users see them.
std::vector<std::string> shown_ids(std::string_view raw);
/// One behind the other, as on the wire. Throws error(invalid_argument): no ids or too many, a text that is no id, an id twice.
std::string raw_ids(counter_impl const& impl, std::vector<std::string> const& shown);
std::string raw_id(counter_impl const& impl, std::string const& shown);

inline std::size_t number_of_ids(std::string_view raw) noexcept {
    return raw.size() / locking::taken_id_size;
}

} // namespace redlatch::detail
