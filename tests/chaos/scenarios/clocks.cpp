// Wall clocks that jump, by libfaketime.
#include "faketime.hpp"
#include "scenario.hpp"

namespace redlatch::chaos {

using namespace std::chrono_literals;
using group = scenario::where;
using loss = expectation::loss;

namespace {

void holders_clock(stage& at, char const* offset) {
    fake_clock const clock;
    at.holder(clock.environment());
    at.waiters();
    at.fault([&] { clock.set(offset); });
    stage::during(4s);
    at.healed();
}

} // namespace

std::vector<scenario> clock_scenarios() {
    std::vector<scenario> all;
    for (auto const& [offset, name] :
         {std::pair("+1d", "holder's clock a day ahead"), std::pair("-1d", "holder's clock a day back")})
        all.push_back(
            {.name = name,
             .group = group::clocks,
             .done = "the wall clock of the holder's process is set while it holds (`" + std::string(offset) + "`)",
             .promised = "nothing changes: leases are counted on a clock that cannot be set",
             .expected = {.of_holds = loss::never},
             .act = [offset = offset](stage& at) { holders_clock(at, offset); },
             .needed = scenario::needs::fake_clock});
    return all;
}

} // namespace redlatch::chaos
