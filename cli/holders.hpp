// Who holds a lock, in words.
#pragma once

#include <redlatch/config.hpp>
#include <redlatch/lock_info.hpp>

#include <span>
#include <string>
#include <string_view>

namespace redlatch::cli {

/// "web-1:4711:importer (uuid:1)", or "uuid:1" of a holder without a label; of several the first, and how many more.
std::string text_of_holders(std::span<lock_owner const> owners);

/// Unless the configuration says otherwise, this process's holds are labelled `host:pid:program`.
void label_holds(config& settings, std::string_view program);

} // namespace redlatch::cli
