#include "lock_check.hpp"

#include "text.hpp"

#include <redlatch/error.hpp>

#include <optional>
#include <string>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_field_shown = 100;

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
    if (info.foreign_field.empty()) return;
    throw error(errc::wrong_type, "the key '" + printable(info.name) + "' is a hash, but not a lock: its field '"
                                      + shortened(info.foreign_field, longest_field_shown)
                                      + "' is not a holder's UUID:NUMBER with a count; nothing was changed, "
                                        "use another name for the lock");
}

} // namespace redlatch::cli
