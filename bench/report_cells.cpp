#include "report_cells.hpp"

#include <cstdio>

namespace redlatch::bench {

namespace {

std::string fixed(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string fixed(std::optional<double> value, int digits) {
    return value ? fixed(*value, digits) : "";
}

int digits_for(result const& of) {
    return of.unit == "cycles/s" ? 0 : of.unit == "µs" ? 1 : 2;
}

} // namespace

std::string placement_title(std::string const& placement) {
    return placement == "apart" ? "Server on one core, clients on another" : "Server and clients on one core";
}

std::vector<std::string> headings(result const& of) {
    return {of.scenario, of.unit,    "p99",       "ratio",     "of the rounds",
            "aim",       "commands", "server µs", "client µs", "max/min"};
}

std::size_t cell_width(std::size_t column) {
    constexpr std::size_t widths[] = {38, 11, 10, 7, 15, 15, 10, 11, 11, 9};
    return widths[column];
}

std::vector<std::string> cells(result const& of, line const& each) {
    auto const& seen = each.median;
    return {each.name,
            fixed(seen.value, digits_for(of)),
            fixed(seen.p99, digits_for(of)),
            fixed(each.ratio, 2),
            fixed(each.ratio_low, 2) + "-" + fixed(each.ratio_high, 2),
            each.aim
                + (each.aim.empty() ? ""
                   : each.met       ? " ✓"
                                    : " ✗"),
            fixed(seen.commands, 2),
            fixed(seen.server_cpu, 1),
            fixed(seen.client_cpu, 1),
            fixed(seen.spread, 2)};
}

} // namespace redlatch::bench
