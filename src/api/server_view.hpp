// What ping() asks, and what it makes of the answers.
#pragma once

#include "io/query_batch.hpp"

#include <redlatch/client.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace redlatch::detail {

inline constexpr char const* about_server = "asking the server who it is";

/// INFO needs a right that not everybody has; HELLO says the same to whoever may connect.
std::vector<std::string> ask_who_is_there();
/// From now on the time counts. What is returned throws error: server_refused, bad_reply.
std::function<server_info(io::query_batch const&)> server_that_answered(io::node& asked);

} // namespace redlatch::detail
