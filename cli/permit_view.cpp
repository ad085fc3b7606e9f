#include "permit_view.hpp"

#include "durations.hpp"
#include "text.hpp"

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_name_shown = 100;

std::string quoted_name(std::string const& name) {
    return "'" + shortened(name, longest_name_shown) + "'";
}

} // namespace

std::string text_of_permits(permit_info const& semaphore) {
    if (!semaphore.is_set && semaphore.taken == 0) return quoted_name(semaphore.name) + " is not set\n";
    auto text = quoted_name(semaphore.name);
    if (semaphore.is_set)
        text += " has " + std::to_string(semaphore.permits) + (semaphore.permits == 1 ? " permit" : " permits")
                + " in all: " + std::to_string(semaphore.available) + " free, ";
    else
        text += " is not set: "; // somebody deleted the number, and what was taken stands beside it
    text += std::to_string(semaphore.taken) + " taken\n";
    for (auto const& permit : semaphore.leases)
        text +=
            "  " + permit.id
            + (permit.remaining_lease ? " for " + to_rounded_text(*permit.remaining_lease) + " still, unless renewed\n"
                                      : " without expiry\n");
    if (auto const more = semaphore.taken - static_cast<std::int64_t>(semaphore.leases.size()); more > 0)
        text += "  and " + std::to_string(more) + " more\n";
    return text;
}

std::string time_left(permit_info const& semaphore) {
    if (semaphore.leases.empty()) return "-";
    auto const first = semaphore.leases.front().remaining_lease;
    return first ? to_rounded_text(*first) : "for ever";
}

std::string text_of_number(std::string const& name, std::int64_t value) {
    return quoted_name(name) + " is a number, " + std::to_string(value)
           + ": the free permits of a semaphore, what is left of a latch, or the permits of a permit semaphore of "
             "which none is taken; the server does not know which, --type says it\n";
}

std::string text_of_semaphore(std::string const& name, std::optional<std::int64_t> permits) {
    if (!permits) return quoted_name(name) + " is not set\n";
    return quoted_name(name) + " has " + std::to_string(*permits)
           + (*permits == 1 ? " free permit\n" : " free permits\n");
}

std::string text_of_latch(std::string const& name, std::optional<std::int64_t> count) {
    if (!count) return quoted_name(name) + " is open, or was never set\n";
    return quoted_name(name) + " opens when it has been counted down "
           + (*count == 1 ? std::string("once more\n") : std::to_string(*count) + " times more\n");
}

} // namespace redlatch::cli
