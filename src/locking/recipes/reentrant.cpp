// The re-entrant lock: a hash NAME -> {OWNER: count} with a lease. wire: protocol section 1.
#include "locking/recipes/owner_hash.hpp"
#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {

constinit recipe const reentrant_recipe = owner_hash::make_recipe("reentrant");

} // namespace redlatch::locking
