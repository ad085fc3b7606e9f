// What the server says of a permit semaphore to whoever only looks.
#pragma once

#include "io/client_core.hpp"
#include "resp/value.hpp"

#include <redlatch/permit_info.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace redlatch::detail {

/// Commands that read, in one write, which servers execute without a pause between them.
inline constexpr std::size_t questions_about_permits = 4;
std::vector<std::string> ask_for_permits(std::string const& name);
/// Of the answers to them. Throws error: wrong_type, server_refused, bad_reply.
permit_info to_permit_info(io::client_core& core, std::string const& name, std::string const& about,
                           std::span<resp::value const> answers);

/// Of what a server says: anybody may have written a number near the greatest one. `other` is not negative.
std::int64_t sum_or_most(std::int64_t one, std::int64_t other) noexcept;

} // namespace redlatch::detail
