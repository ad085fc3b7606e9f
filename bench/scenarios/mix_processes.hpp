// Who plays in a mix: processes of ours, and of a peer.
#pragma once

#include "mix/round.hpp"
#include "mix/shape.hpp"
#include "peer_process.hpp"

#include <redlatch/config.hpp>

#include <cstddef>
#include <memory>

namespace redlatch::bench {

/// Of ours, made by fork(): threads on one client.
std::unique_ptr<mix_process> our_process(config const& settings, mix_shape const& shape, mix_board const& board,
                                         std::size_t first_worker);

/// Of a peer: as many clients, each with the threads of the shape. It has been asked to get ready when this returns, and must
/// have played something before, so that it is warm.
std::unique_ptr<mix_process> peer_process_in(std::shared_ptr<peer_process> process, mix_shape const& shape,
                                             mix_board const& board, std::size_t first_worker, int clients);

} // namespace redlatch::bench
