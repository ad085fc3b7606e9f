// How a client comes to be: where its server is, and its connection, on the calling thread or on one of its own.
#pragma once

#include "api/access.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/config.hpp>
#include <redlatch/event_source.hpp>

#include <memory>
#include <optional>

namespace redlatch::detail {

/// Blocks for as long as client's constructor does, and throws what it throws.
std::shared_ptr<client_handle> open_client(config settings, std::optional<user_loop> loop);

} // namespace redlatch::detail
