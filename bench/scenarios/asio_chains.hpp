// Cycles without a thread for each, as scenarios/cycle_chain.hpp, by redlatch/asio.hpp: the client and the handlers of all
// chains run on one io_context, on one thread.
#pragma once

#include "measure/workers.hpp"

#include <redlatch/config.hpp>

namespace redlatch::bench {

/// Returns when all chains have ended, after the sign to stop. Each has a lock and an owner of its own. Throws what went wrong.
void run_asio_chains(config const& settings, int count, tally& into, phases const& now);

} // namespace redlatch::bench
