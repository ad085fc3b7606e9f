// Part of the library: for whom a call acquires whose end is told to a handler.
#pragma once

#include <redlatch/options.hpp>

namespace redlatch::detail {

/// The thread that begins is seldom the one that goes on: it is not the owner.
inline acquire_options without_thread_as_owner(acquire_options options) {
    if (options.owner && options.owner->is_thread()) options.owner.reset();
    return options;
}

} // namespace redlatch::detail
