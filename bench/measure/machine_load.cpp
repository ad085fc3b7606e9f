#include "measure/machine_load.hpp"

#include <cstdio>
#include <fstream>
#include <thread>

namespace redlatch::bench {

namespace {

constexpr double least_idle_share = 0.95;
constexpr double highest_average = 0.5; // for each processor; what has just ended still counts in it

processor_times processor_times_now() {
    std::ifstream stat("/proc/stat");
    return processor_times_in(stat);
}

} // namespace

processor_times processor_times_in(std::istream& stat) {
    std::string name;
    stat >> name;
    if (name != "cpu") return {};
    processor_times result;
    // user nice system idle iowait irq softirq steal; guests are counted in user already. Waiting for a disk is idle.
    for (int column = 0; column < 8; ++column) {
        double ticks = 0;
        if (!(stat >> ticks)) break;
        result.all += ticks;
        if (column == 3 || column == 4) result.idle += ticks;
    }
    return result;
}

double idle_share(processor_times const& before, processor_times const& after) {
    double const all = after.all - before.all;
    return all > 0 ? (after.idle - before.idle) / all : 1;
}

bool machine_load::is_quiet(int processors) const {
    return idle_share >= least_idle_share && average <= highest_average * processors;
}

machine_load look_at_machine(std::chrono::seconds time) {
    machine_load result{0, 1, time};
    std::ifstream("/proc/loadavg") >> result.average;
    auto const before = processor_times_now();
    std::this_thread::sleep_for(time);
    result.idle_share = idle_share(before, processor_times_now());
    return result;
}

std::string text_of(machine_load const& load, int processors) {
    char text[128];
    std::snprintf(text, sizeof text, "%.2f in the last minute, %.0f %% idle for %d s%s", load.average,
                  100 * load.idle_share, static_cast<int>(load.over.count()),
                  load.is_quiet(processors) ? "" : ": busy, so the figures are worth little");
    return text;
}

} // namespace redlatch::bench
