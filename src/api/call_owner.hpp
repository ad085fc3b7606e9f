// For whom a call acquires.
#pragma once

#include <redlatch/detail/handler_owner.hpp>
#include <redlatch/options.hpp>
#include <redlatch/owner.hpp>

namespace redlatch::detail {

/// Of a call that acquires while its thread waits.
inline owner owner_of(acquire_options const& options) {
    return options.owner ? *options.owner : owner::this_thread();
}

/// Of one that goes on when it has returned: two calls of one thread would otherwise be one owner, and inside together.
inline acquire_options with_owner_of_its_own(acquire_options options) {
    if (!options.owner) options.owner = owner();
    return options;
}

} // namespace redlatch::detail
