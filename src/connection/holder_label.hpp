// Who a client says it is, in the name of its connections, so that CLIENT LIST leads from the field of a lock's hash to it.
//
//     redlatch:<client's UUID>:<label>                     or, with a name that the user has given,
//     <name>|redlatch:<client's UUID>:<label>
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace redlatch::connection {

inline constexpr std::size_t longest_holder_label = 128;

/// What CLIENT SETNAME takes, and not too much of it.
bool is_holder_label(std::string_view text) noexcept;
/// With `_` for what CLIENT SETNAME does not take, and cut to the length that is allowed.
std::string made_holder_label(std::string_view text);

/// Without a label: `name` as it is.
std::string connection_name(std::string_view name, std::string_view client, std::string_view label);

/// Labels by their clients' UUIDs.
using holder_labels = std::map<std::string, std::string, std::less<>>;
/// Of the answer to CLIENT LIST.
holder_labels labels_in(std::string_view client_list);

} // namespace redlatch::connection
