// A lock on the majority of three independent masters.
#pragma once

#include "independent_masters.hpp"
#include "scenario.hpp"

#include <functional>
#include <string>

namespace redlatch::chaos {

/// For longer than the longest lease: so long a server that comes back without its data has to stay away.
inline constexpr milliseconds beyond_the_lease{5000};

/// One holder and two who wait, or three processes that contend.
enum class use { held, contended };
void begin_use(stage& at, use what);

/// `name` follows "red lock: ".
scenario red_lock_scenario(std::string const& name, std::string done, std::string promised, expectation expected,
                           std::function<void(stage&)> act);

} // namespace redlatch::chaos
