// Who holds a lock, in words.
#pragma once

#include <redlatch/config.hpp>
#include <redlatch/lock_info.hpp>

#include <string>
#include <string_view>

namespace redlatch::cli {

/// "web-1:4711:importer (uuid:1)", or "uuid:1" of a holder without a label; of several the first, and how many more.
std::string text_of_holders(lock_info const& lock);

/// Everybody has given it back, and it stays locked for the rest of a minimum hold.
bool is_in_minimum_hold(lock_info const& lock);
/// "its last holder has released it, and the rest is its minimum hold, 12s still".
std::string text_of_minimum_hold(lock_info const& lock);

/// Nobody holds it, and it is not to be had: it is kept for the first of its queue, who has died or has not come yet.
bool is_kept_for_a_waiter(lock_info const& lock);
/// "web-1:4711:importer (uuid:2)", or "uuid:2" of a waiter without a label.
std::string text_of(lock_waiter const& waiter);
/// "nobody holds it, and it is kept for the first of its queue, uuid:2, which is passed over in 4m58s unless it asks again".
std::string text_of_queue(lock_info const& lock);

/// Unless the configuration says otherwise, this process's holds are labelled `host:pid:program`.
void label_holds(config& settings, std::string_view program);

} // namespace redlatch::cli
