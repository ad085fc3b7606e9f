#include "lock_check.hpp"

#include "text.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <optional>
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

/// As semaphores and latches are. None: another type, or another text.
std::optional<std::int64_t> number_at(client& owner, std::string const& key) {
    try {
        return owner.get_semaphore(key).available_permits();
    } catch (error const& problem) {
        if (problem.reason() != errc::wrong_type) throw;
        return std::nullopt;
    }
}

lock_info checked_look(client& owner, std::string const& name, look_options const& options) {
    auto info = owner.get_lock(name).inspect(options);
    require_lock(info);
    return info;
}

} // namespace

lock_info inspect_lock(client& owner, std::string const& name, look_options const& options) {
    try {
        return checked_look(owner, name, options);
    } catch (error const& problem) {
        if (problem.reason() != errc::wrong_type || !number_at(owner, name)) throw;
        throw error(errc::wrong_type, std::string(problem.what())
                                          + "; its value is a number: redlatch semaphore available shows a semaphore, "
                                            "redlatch latch count a latch, redlatch permits show a permit semaphore");
    }
}

named look_at(client& owner, std::string const& name, look_options const& options) {
    try {
        return checked_look(owner, name, options);
    } catch (error const& problem) {
        if (problem.reason() != errc::wrong_type) throw;
        auto const number = number_at(owner, name);
        if (!number) throw;
        auto permits = owner.get_permit_semaphore(name).inspect();
        if (permits.taken > 0) return permits;
        return *number;
    }
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
