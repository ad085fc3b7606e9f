// What the kinds have in common that give each hold a fencing token, asked or not. wire: protocol section 5.3.
#pragma once

#include "locking/recipes/owner_hash.hpp"

namespace redlatch::locking::fenced {

constexpr recipe make_recipe(std::string_view kind) noexcept {
    auto made = owner_hash::make_recipe(kind);
    made.always_fencing = true;
    made.plain = nullptr;       // no plain command counts and takes at once
    made.local_handoff = false; // each owner is to have a token of its own
    return made;
}

} // namespace redlatch::locking::fenced
