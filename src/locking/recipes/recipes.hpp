// The kinds of lock. Whatever is to be true of each of them iterates over `all_recipes`.
#pragma once

#include "locking/recipe.hpp"

#include <span>

namespace redlatch::locking {

extern recipe const reentrant_recipe;          ///< Redisson's RLock: protocol section 1
extern recipe const non_reentrant_recipe;      ///< RNonReentrantLock: protocol section 5.1
extern recipe const spin_recipe;               ///< RSpinLock: protocol section 5.2
extern recipe const fenced_recipe;             ///< RFencedLock: protocol section 5.3
extern recipe const fair_recipe;               ///< RFairLock: protocol section 5.4
extern recipe const non_reentrant_fair_recipe; ///< RNonReentrantFairLock: protocol section 5.4
extern recipe const read_recipe;               ///< RReadWriteLock.readLock(): protocol section 6
extern recipe const write_recipe;              ///< RReadWriteLock.writeLock(): protocol section 6
extern recipe const faster_multi_recipe;       ///< getMultiLock(group, values): protocol section 9.1
extern recipe const election_recipe;           ///< a fenced lock of candidates: protocol section 8

extern std::span<recipe const* const> const all_recipes;

} // namespace redlatch::locking
