// Permits that nobody wants any more go back in the background.
#pragma once

#include "io/client_core.hpp"
#include "locking/counter.hpp"

#include <memory>

namespace redlatch::io {

/// Sends it until it is answered; close() waits for it. What cannot be given back is told to the listener (release_failed).
/// `repeatable`: a repeat changes nothing more. Throws only where nothing was begun.
void give_back(std::shared_ptr<client_core> const& core, locking::counter const& counter, locking::wire_call call,
               bool repeatable);

} // namespace redlatch::io
