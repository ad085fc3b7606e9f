// The fair lock, but for its owner, who may not acquire it twice. wire: protocol section 5.4.
#include "locking/recipes/fair.hpp"
#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {
namespace non_reentrant_fair {
namespace {

constexpr recipe make() noexcept {
    auto made = fair::make_recipe("non_reentrant_fair");
    made.reentrant = false;
    return made;
}

} // namespace
} // namespace non_reentrant_fair

constinit recipe const non_reentrant_fair_recipe = non_reentrant_fair::make();

} // namespace redlatch::locking
