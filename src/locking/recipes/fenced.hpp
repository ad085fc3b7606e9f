// The calls of kinds that give each hold a fencing token. wire: protocol section 5.3.
#pragma once

#include "locking/recipes/owner_hash.hpp"

namespace redlatch::locking::fenced {

lock_keys keys(std::string_view name);
wire_call acquire(call_context const& context);
acquire_answer read_acquire(resp::value const& reply);
wire_call set_count(call_context const& context, int count);

constexpr recipe make_recipe(std::string_view kind) noexcept {
    auto made = owner_hash::make_recipe(kind);
    made.keys = keys;
    made.acquire = acquire;
    made.read_acquire = read_acquire;
    made.set_count = set_count;
    made.plain = nullptr;       // no plain command counts and takes at once
    made.local_handoff = false; // each owner is to have a token of its own
    return made;
}

} // namespace redlatch::locking::fenced
