// The re-entrant lock without messages: who waits asks again and again. wire: protocol section 5.2.
#include "locking/recipes/owner_hash.hpp"
#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {
namespace spin {
namespace {

constexpr recipe make() noexcept {
    auto made = owner_hash::make_recipe("spin");
    made.channel_prefix = {};
    made.plain = &owner_hash::unannounced;
    return made;
}

} // namespace
} // namespace spin

constinit recipe const spin_recipe = spin::make();

} // namespace redlatch::locking
