#include "report/report_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace redlatch::bench {

namespace {

std::string fixed(std::optional<double> value, int digits) {
    if (!value) return "";
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, *value);
    return text;
}

int digits_of(figure which, result const& of) {
    if (which == figure::value && (of.unit == "cycles/s" || of.unit == "acquisitions/s")) return 0;
    if (which == figure::value && of.unit == "µs") return 1;
    if (which == figure::p99 && of.unit == "ms") return 2;
    return name_of(which).digits;
}

std::string heading_of(figure which, result const& of) {
    if (which == figure::value) return of.unit;
    // Acquisitions are timed in microseconds, a scenario whose own unit is a time in that.
    if (which == figure::p99) return of.unit == "ms" ? "p99 ms" : "p99 µs";
    return name_of(which).heading;
}

std::vector<figure> columns_of(result const& of) {
    std::vector<figure> result;
    for (auto const which :
         {figure::p99, figure::longest, figure::longest_rounds, figure::process_spread, figure::spread,
          figure::commands, figure::server_cpu, figure::client_cpu, figure::guest_share, figure::guest_longest,
          figure::overlaps, figure::connections, figure::lock_bytes, figure::late})
        if (std::ranges::any_of(of.lines, [&](line const& each) { return each.median[which].has_value(); }))
            result.push_back(which);
    return result;
}

bool has_ratios(result const& of) {
    return std::ranges::any_of(of.lines, [](line const& each) { return each.ratio.has_value(); });
}

/// Ratios and other small numbers need digits, large ones do not.
std::string shown(double value) {
    return fixed(value, std::abs(value) < 100 ? 2 : 0);
}

} // namespace

std::string placement_title(std::string const& placement) {
    if (placement == "apart") return "Server on one core, clients on another";
    return placement == "together" ? "Server and clients on one core" : "Unpinned";
}

table table_of(result const& of) {
    auto const columns = columns_of(of);
    bool const ratios = has_ratios(of);
    table all{{of.scenario, of.unit}, {}};
    if (ratios) all.headings.insert(all.headings.end(), {"ratio", "of the rounds"});
    for (auto const which : columns) all.headings.push_back(heading_of(which, of));
    for (auto const& each : of.lines) {
        std::vector<std::string> row{each.name, fixed(each.median[figure::value], digits_of(figure::value, of))};
        if (ratios) {
            row.push_back(fixed(each.ratio, 2));
            row.push_back(each.ratio ? fixed(each.ratio_low, 2) + "-" + fixed(each.ratio_high, 2) : "");
        }
        for (auto const which : columns) row.push_back(fixed(each.median[which], digits_of(which, of)));
        all.rows.push_back(std::move(row));
    }
    return all;
}

std::vector<std::string> remarks_of(result const& of) {
    std::vector<std::string> all;
    bool all_met = true;
    for (auto const& each : of.lines)
        for (auto const& one : each.judgements) {
            // Without the other contender nothing is known.
            auto const mark = !one.seen ? "–" : one.met ? "✓" : "✗";
            all_met = all_met && (!one.seen || one.met);
            all.push_back(std::string(mark) + " " + each.name + ": " + one.text + " ("
                          + (one.seen ? shown(*one.seen) : "not measured") + ")");
        }
    if (!all_met && !of.limits.empty()) all.push_back("What limits it: " + of.limits);
    all.insert(all.end(), of.notes.begin(), of.notes.end());
    return all;
}

} // namespace redlatch::bench
