// What the kinds with one holder share: a hash NAME -> {OWNER: count} with a lease. wire: protocol section 1.
#pragma once

#include "locking/names.hpp"
#include "locking/recipe.hpp"

namespace redlatch::locking::owner_hash {

wire_call acquire(call_context const& context);
/// Acquired, with or without a token, or refused.
acquire_answer read_acquire(resp::value const& reply);
wire_call set_count(call_context const& context, int count);
count_reply read_count(resp::value const& reply);
wire_call release(call_context const& context);
release_answer read_release(resp::value const& reply);
wire_call force_release(call_context const& context);
wire_call is_held(call_context const& context);
std::optional<bool> read_is_held(resp::value const& reply);
wire_call lease_left(call_context const& context);
std::optional<std::vector<std::int64_t>> read_renewal(resp::value const& reply);
extern renewal const renew;

/// The same without scripts (docs/adr/0006): of a kind with a channel, and of one without.
extern plain_commands const announced;
extern plain_commands const unannounced;

/// All of the above, with a channel: the re-entrant lock. Other kinds change what they do differently.
constexpr recipe make_recipe(std::string_view kind) noexcept {
    return {.kind = kind,
            .channel_prefix = lock_channel_prefix,
            .acquire = acquire,
            .read_acquire = read_acquire,
            .set_count = set_count,
            .read_count = read_count,
            .release = release,
            .read_release = read_release,
            .force_release = force_release,
            .is_held = is_held,
            .read_is_held = read_is_held,
            .lease_left = lease_left,
            .renew = &renew,
            .plain = &announced};
}

} // namespace redlatch::locking::owner_hash
