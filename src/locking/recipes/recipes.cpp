#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {
namespace {

constexpr recipe const* each[] = {
    &reentrant_recipe,          &non_reentrant_recipe, &spin_recipe,  &fenced_recipe,   &fair_recipe,
    &non_reentrant_fair_recipe, &read_recipe,          &write_recipe, &election_recipe, &faster_multi_recipe,
};

} // namespace

std::span<recipe const* const> const all_recipes(each);

} // namespace redlatch::locking
