#include "counter_wait.hpp"

#include "report.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <atomic>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

/// A shorter wait is not worth a message.
constexpr duration until_said = 100ms;

} // namespace

waited wait_for_counter(counter_command const& command, wait_flags const& flags, inherited_signals const& inherited,
                        std::string const& subject, ask_and_wait const& ask) {
    auto const reporter = command.common().reporter();
    std::atomic<bool> said{false};
    std::function<void()> const look = [&] {
        if (!said.exchange(true)) reporter.note("waiting", "waiting for " + subject, {{"name", command.name()}});
    };
    std::stop_source stop;
    waited result;
    {
        wait_interrupter interrupter(inherited, stop, flags.no_wait ? nullptr : look,
                                     flags.wait ? std::min(until_said, *flags.wait / 2) : until_said);
        try {
            ask(flags.wait_left(), stop.get_token());
            result.done = true;
        } catch (error const& problem) {
            bool const in_vain = problem.reason() == errc::busy || problem.reason() == errc::timed_out;
            if (!in_vain && interrupter.finish() == 0) throw;
            if (in_vain) result.reason = problem.what();
        }
        result.signal = interrupter.finish();
    }
    if (result.signal == 0) result.signal = take_pending_ending_signal(inherited).value_or(0);
    if (result.signal != 0)
        reporter.note("signal", "a signal ended the wait for " + subject,
                      {{"name", command.name()}, {"signal", std::int64_t{result.signal}}});
    return result;
}

} // namespace redlatch::cli
