// What the server says of a permit semaphore to whoever only looks.
#pragma once

#include "api/counter_impl.hpp"
#include "io/query_batch.hpp"

#include <redlatch/permit_info.hpp>

#include <string>
#include <vector>

namespace redlatch::detail {

/// Commands that read, in one write, which servers execute without a pause between them.
std::vector<std::string> ask_for_permits(std::string const& name);
/// Of the answers to them. Throws error: wrong_type, server_refused, bad_reply.
permit_info to_permit_info(counter_impl const& impl, std::string const& about, io::query_batch const& answered);

} // namespace redlatch::detail
