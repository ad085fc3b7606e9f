// Who has a lock, as the server knows it: of most kinds a key is a lock; a lock on values of a group has a field for each.
#include "locking/names.hpp"
#include "locking/recipes/faster_multi.hpp"
#include "sim/scenario/stage.hpp"

#include <algorithm>
#include <charconv>

namespace redlatch::sim {
namespace {

/// What is in the hash of the group for one value.
struct value_there {
    std::string owner{};
    std::int64_t ends_at_ms = 0;
    std::string field{};
    std::string hold{}; ///< what the fields about its owner begin with
};

value_there value_of(server_host const& server, int number) {
    auto const field = locking::faster_multi::field_of(stage::value_name(number));
    value_there found{.owner = server.field(stage::group_name, field), .field = field};
    found.hold = field + ":" + found.owner;
    auto const ends = server.field(stage::group_name, found.hold + std::string(locking::faster_multi::ends_suffix));
    std::from_chars(ends.data(), ends.data() + ends.size(), found.ends_at_ms);
    return found;
}

} // namespace

std::string stage::key_of(int lock) const {
    if (plan.locks_are == lock_kind::faster_multi) return group_name;
    if (plan.locks_are == lock_kind::latch) return latch_name(lock);
    return plan.are_counters() ? semaphore_name(lock) : lock_name(lock);
}

std::vector<std::string> stage::owners_in_key(int lock) const {
    if (plan.locks_are != lock_kind::faster_multi) return host_of(lock).owners(lock_name(lock));
    auto const found = value_of(server, lock);
    if (found.owner.empty() || found.ends_at_ms <= server.now_ms()) return {};
    return {found.owner};
}

bool stage::has_in_key(int lock, std::string const& owner) const {
    if (plan.locks_are != lock_kind::faster_multi) return host_of(lock).holds(lock_name(lock), owner);
    auto const all = owners_in_key(lock);
    return std::find(all.begin(), all.end(), owner) != all.end();
}

bool stage::is_taken(int lock) const {
    return plan.locks_are == lock_kind::faster_multi ? !owners_in_key(lock).empty()
                                                     : host_of(lock).exists(lock_name(lock));
}

bool stage::is_dead_reader(int lock, std::string const& owner) const {
    if (plan.locks_are != lock_kind::read_write || owner.ends_with(":write")) return false;
    return !host_of(lock).exists(locking::read_hold_prefix(lock_name(lock)) + owner + ":rwlock_timeout:1");
}

std::int64_t stage::last_ms_of(int lock) const {
    if (plan.locks_are != lock_kind::faster_multi) return host_of(lock).expiry(lock_name(lock));
    auto const found = value_of(server, lock);
    return found.owner.empty() ? INT64_MAX : found.ends_at_ms - 1;
}

std::vector<std::string> stage::fields_of_value(int lock) const {
    auto const found = value_of(server, lock);
    return {found.field, found.hold + std::string(locking::faster_multi::ends_suffix),
            found.hold + std::string(locking::faster_multi::count_suffix)};
}

} // namespace redlatch::sim
