#include "report.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace redlatch::soak {

namespace {

/// Allocators keep some pages; a leak of a few bytes for each of the hundred thousands of cycles is more.
constexpr long memory_slack_kib = 4096;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_tells = false; // sanitizers keep what is freed
#else
constexpr bool memory_tells = true;
#endif
/// A call that returns this long after its deadline on a machine with many more threads than processors was not forgotten.
constexpr std::uint64_t overrun_limit_us = 2'000'000;

[[gnu::format(printf, 1, 2)]] std::string line(char const* format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return std::string(text) + "\n";
}

std::string sum_line(char const* what, resting const& before, resting const& after, long process_reading::*member) {
    long first = 0;
    long last = 0;
    for (auto const& each : before.processes) first += each.*member;
    for (auto const& each : after.processes) last += each.*member;
    return line("| %-42s | %10ld | %10ld |", what, first, last);
}

} // namespace

totals totals_of(board const& shared) {
    totals all;
    for (auto const& row : shared.rows) {
        all.acquired += row.acquired;
        all.sections += row.sections;
        all.refused += row.refused;
        all.cancelled += row.cancelled;
        all.disconnected += row.disconnected;
        all.lost += row.lost;
        all.told += row.told;
        all.clients += row.clients;
        all.forced += row.forced;
        for (std::size_t code = 0; code < row.other_errors.size(); ++code)
            if (row.other_errors[code] > 0) all.other_errors[static_cast<int>(code)] += row.other_errors[code];
        all.overrun_us = std::max(all.overrun_us, row.overrun_us.load());
        all.handler_overrun_us = std::max(all.handler_overrun_us, row.handler_overrun_us.load());
    }
    return all;
}

std::vector<std::string> complaints(resting const& before, resting const& after, totals const& all,
                                    std::uint64_t violations) {
    std::vector<std::string> result;
    auto const expect = [&](bool right, std::string message) {
        if (!right) result.push_back(std::move(message));
    };
    expect(violations == 0, std::to_string(violations) + " times two were inside at once");
    expect(all.sections > 0, "nobody was ever inside: nothing was tested");
    auto const limit = overrun_limit_us + static_cast<std::uint64_t>(all.stall_us);
    expect(all.overrun_us <= limit, "a call returned " + std::to_string(all.overrun_us) + " us after its deadline");
    expect(all.handler_overrun_us <= limit,
           "a handler ran " + std::to_string(all.handler_overrun_us) + " us after the deadline");
    for (auto const& [code, times] : all.other_errors)
        expect(false, std::to_string(times) + " times: " + make_error_code(static_cast<errc>(code)).message());
    for (std::size_t i = 0; i < after.processes.size(); ++i) {
        auto const& was = before.processes[i];
        auto const& is = after.processes[i];
        auto const who = "process " + std::to_string(i) + ": ";
        expect(is.holds + is.waiters + is.subscriptions + is.unresolved == 0,
               who + std::to_string(is.holds) + " holds, " + std::to_string(is.waiters) + " waiters, "
                   + std::to_string(is.subscriptions) + " subscriptions, " + std::to_string(is.unresolved)
                   + " unresolved releases are left");
        expect(is.renewals == 0, who + std::to_string(is.renewals) + " renewals of nothing");
        expect(is.descriptors <= was.descriptors,
               who + std::to_string(is.descriptors) + " descriptors, at first " + std::to_string(was.descriptors));
        expect(is.threads <= was.threads,
               who + std::to_string(is.threads) + " threads, at first " + std::to_string(was.threads));
        expect(!memory_tells || is.resident_kib <= was.resident_kib + memory_slack_kib,
               who + std::to_string(is.resident_kib) + " KiB, at first " + std::to_string(was.resident_kib));
    }
    expect(after.server.keys == 0, std::to_string(after.server.keys) + " keys are left");
    expect(after.server.channels == 0, std::to_string(after.server.channels) + " channels are left");
    expect(after.server.clients <= before.server.clients,
           std::to_string(after.server.clients) + " connections, at first " + std::to_string(before.server.clients));
    return result;
}

std::string table(resting const& before, resting const& after) {
    std::string text = line("| %-42s | %10s | %10s |", "at rest, all processes together", "before", "after")
                       + "|--------------------------------------------|-----------:|-----------:|\n";
    text += sum_line("memory, KiB", before, after, &process_reading::resident_kib);
    text += sum_line("descriptors", before, after, &process_reading::descriptors);
    text += sum_line("threads", before, after, &process_reading::threads);
    text += sum_line("holds on record", before, after, &process_reading::holds);
    text += sum_line("waiters", before, after, &process_reading::waiters);
    text += sum_line("subscriptions", before, after, &process_reading::subscriptions);
    text += sum_line("unresolved releases", before, after, &process_reading::unresolved);
    text += sum_line("renewals in 1.5 s", before, after, &process_reading::renewals);
    text += sum_line("reconnections so far", before, after, &process_reading::reconnects);
    text += line("| %-42s | %10ld | %10ld |", "keys", before.server.keys, after.server.keys);
    text += line("| %-42s | %10ld | %10ld |", "channels", before.server.channels, after.server.channels);
    text += line("| %-42s | %10ld | %10ld |", "connections at the server", before.server.clients, after.server.clients);
    return text;
}

std::string table(totals const& all, std::uint64_t violations, injector const& faults) {
    std::string text = line("| %-42s | %10s |", "what happened", "times")
                       + "|--------------------------------------------|-----------:|\n";
    auto const add = [&](std::string_view what, unsigned long long times) {
        text += line("| %-42.*s | %10llu |", static_cast<int>(what.size()), what.data(), times);
    };
    add("acquisitions", all.acquired);
    add("sections that were judged", all.sections);
    add("two at once", violations);
    add("busy or timed out", all.refused);
    add("cancelled", all.cancelled);
    add("server away or loading, outcome unknown", all.disconnected);
    add("holds found lost", all.lost);
    add("callbacks of lost()", all.told);
    add("force_unlock", all.forced);
    add("further clients opened and closed", all.clients);
    add("longest time beyond a deadline, ms", all.overrun_us / 1000);
    add("the same of a handler, ms", all.handler_overrun_us / 1000);
    add("the machine stood still at most, ms", static_cast<unsigned long long>(all.stall_us) / 1000);
    for (auto const each : all_faults) add(name_of(each), static_cast<unsigned long long>(faults.made(each)));
    return text;
}

} // namespace redlatch::soak
