// The re-entrant lock: a hash NAME -> {OWNER: count} with a lease. wire: protocol section 1.
#include "locking/names.hpp"
#include "locking/recipe.hpp"

namespace redlatch::locking {
namespace {

constexpr std::string_view publish = "PUBLISH"; // one server: protocol section 0.5

script_call acquire(call_context const& about) {
    return {scripts::lock_acquire, {about.name}, {std::to_string(about.lease.count()), about.owner_id}};
}

acquire_answer read_acquire(resp::value const& reply) {
    if (reply.is_nil()) return {acquire_answer::kind::acquired};
    if (!reply.is_integer() || reply.integer < -1) return {};
    if (reply.integer == -1) return {acquire_answer::kind::busy};
    return {acquire_answer::kind::busy, base::milliseconds(reply.integer)};
}

script_call set_count(call_context const& about, int count) {
    return {scripts::lock_set_count,
            {about.name},
            {std::to_string(about.lease.count()), about.owner_id, std::to_string(count)}};
}

count_answer read_count(resp::value const& reply) {
    if (!reply.is_integer()) return count_answer::not_understood;
    if (reply.integer == 0) return count_answer::not_held;
    return reply.integer == 1 ? count_answer::written : count_answer::not_understood;
}

script_call release(call_context const& about) {
    return {scripts::lock_release, {about.name, about.channel}, {about.owner_id, publish}};
}

release_answer read_release(resp::value const& reply) {
    if (!reply.is_integer()) return release_answer::not_understood;
    switch (reply.integer) {
    case 0: return release_answer::not_held;
    case 1: return release_answer::released;
    case 2: return release_answer::released_silently;
    default: return release_answer::not_understood; // an integer from the wire
    }
}

script_call force_release(call_context const& about) {
    return {scripts::lock_force_release, {about.name, about.channel}, {publish}};
}

} // namespace

recipe const reentrant_recipe{acquire, read_acquire, set_count,     read_count,
                              release, read_release, force_release, lock_channel};

} // namespace redlatch::locking
