// Makes event sources for client.
#pragma once

#include "io/client_core.hpp"

#include <redlatch/event_source.hpp>

#include <memory>
#include <utility>

namespace redlatch::detail {

struct event_source_access {
    static event_source of(std::shared_ptr<io::client_core> core) noexcept { return event_source(std::move(core)); }
};

} // namespace redlatch::detail
