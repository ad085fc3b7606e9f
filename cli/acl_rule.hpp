// The least rights that a user of the server needs for some types of locks and synchronizers: docs/operating.md has the same
// rule for all of them, and says what each right is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {

/// As basic_lock::kind() calls them, but for the two halves of a read-write lock: "read_write". And "semaphore",
/// "permit_semaphore", "latch".
std::vector<std::string_view> acl_types();

/// The words of the rule behind the password: patterns of keys, patterns of channels, commands. `types`: of acl_types().
/// `name_prefix`: with what the names begin; empty: all names.
std::vector<std::string> acl_rule(std::vector<std::string> const& types, std::string_view name_prefix);

} // namespace redlatch::cli
