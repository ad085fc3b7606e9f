// The re-entrant lock with a token that grows with each acquisition. wire: protocol section 5.3.
#include "locking/recipes/fenced.hpp"

#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {

constinit recipe const fenced_recipe = fenced::make_recipe("fenced");

} // namespace redlatch::locking
