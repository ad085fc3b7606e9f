#include "lock_check.hpp"

#include "text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace redlatch::cli {
namespace {

bool is_uuid(std::string_view text) {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char given, char wanted) {
        return wanted == '-' ? given == '-'
                             : std::string_view("0123456789abcdefABCDEF").find(given) != std::string::npos;
    });
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_owner(lock_owner const& who) {
    std::string const usual = who.client + ":" + who.holder;
    return is_uuid(who.client) && is_number(who.holder) && (who.owner == usual || who.owner == usual + ":write")
           && who.count > 0;
}

} // namespace

void require_lock(lock_info const& seen) {
    if (!seen.held) return;
    auto const odd = std::find_if_not(seen.owners.begin(), seen.owners.end(), is_owner);
    if (odd == seen.owners.end() && !seen.owners.empty()) return;
    std::string const field = seen.owners.empty() ? "mode" : odd->owner;
    throw error(errc::wrong_type, "the key '" + printable(seen.name) + "' is a hash, but not a lock: its field '"
                                      + printable(field)
                                      + "' is not a holder's UUID:NUMBER with a count; nothing was changed, "
                                        "use another name for the lock");
}

} // namespace redlatch::cli
