// Flags that say for which types of locks, and for which names, rights are.
#pragma once

#include "command_line.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redlatch::cli {

struct acl_flags {
    std::optional<std::string> types{};
    std::optional<std::string> name_prefix{};
};

void declare(command_line& line, acl_flags& flags);

/// Throws usage_error: a type that does not exist, or a prefix that cannot stand in a rule.
void check(acl_flags const& flags);

/// Of acl_types(); all of them where none is named. Of flags that have been checked.
std::vector<std::string> types_of(acl_flags const& flags);

/// Throws usage_error unless it can stand in a rule of the server's, whose words end at a blank. `flag`: whose value it is.
void check_word_of_rule(std::string const& flag, std::string const& word);

} // namespace redlatch::cli
