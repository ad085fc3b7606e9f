// The token of a loss in the child of a fork, where nothing is held.
#pragma once

#include <stop_token>

namespace redlatch::detail {

inline std::stop_token stopped_already() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
}

} // namespace redlatch::detail
