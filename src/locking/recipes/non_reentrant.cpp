// The re-entrant lock, but for its owner, who may not acquire it twice. wire: protocol section 5.1.
#include "locking/recipes/owner_hash.hpp"
#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {
namespace non_reentrant {
namespace {

constexpr recipe make() noexcept {
    auto made = owner_hash::make_recipe("non_reentrant");
    made.reentrant = false;
    return made;
}

} // namespace
} // namespace non_reentrant

constinit recipe const non_reentrant_recipe = non_reentrant::make();

} // namespace redlatch::locking
