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

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_owner(lock_owner const& owner) {
    std::string const usual = owner.client + ":" + owner.holder;
    return is_uuid(owner.client) && is_digits(owner.holder)
           && (owner.owner == usual || owner.owner.starts_with(usual + ":")) && owner.count > 0;
}

/// As semaphores and latches are.
bool is_number(client& owner, std::string const& key) {
    try {
        owner.get_semaphore(key).available_permits();
        return true;
    } catch (error const&) { // another type, or another text
        return false;
    }
}

} // namespace

lock_info inspect_lock(client& owner, std::string const& name, look_options const& options) {
    lock_info info;
    try {
        info = owner.get_lock(name).inspect(options);
    } catch (error const& problem) {
        if (problem.reason() != errc::wrong_type || !is_number(owner, name)) throw;
        throw error(errc::wrong_type, std::string(problem.what())
                                          + "; its value is a number: redlatch semaphore available shows a semaphore, "
                                            "redlatch latch count a latch");
    }
    require_lock(info);
    return info;
}

void require_lock(lock_info const& info) {
    if (!info.held) return;
    auto const odd = std::find_if_not(info.owners.begin(), info.owners.end(), is_owner);
    if (odd == info.owners.end() && !info.owners.empty()) return;
    std::string const field = info.owners.empty() ? "mode" : odd->owner;
    throw error(errc::wrong_type, "the key '" + printable(info.name) + "' is a hash, but not a lock: its field '"
                                      + printable(field)
                                      + "' is not a holder's UUID:NUMBER with a count; nothing was changed, "
                                        "use another name for the lock");
}

} // namespace redlatch::cli
