// The default of config::holder_label.
#pragma once

#include <redlatch/config.hpp>

#include <string>

namespace redlatch::io {

/// What is asked for, or `host:pid:program` of this process; empty: none.
std::string holder_label(config const& settings);

} // namespace redlatch::io
