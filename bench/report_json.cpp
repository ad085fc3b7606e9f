#include "report.hpp"

#include <cstdio>
#include <optional>

namespace redlatch::bench {

namespace {

std::string quoted(std::string const& text) {
    std::string result = "\"";
    for (char const letter : text) {
        if (letter == '"' || letter == '\\') result += '\\';
        result += letter;
    }
    return result + "\"";
}

std::string json_number(std::optional<double> value) {
    if (!value) return "null";
    char text[64];
    std::snprintf(text, sizeof text, "%.4f", *value);
    return text;
}

std::string json_line(line const& each) {
    auto const& seen = each.median;
    return "{\"name\":" + quoted(each.name) + ",\"value\":" + json_number(seen.value)
           + ",\"p99\":" + json_number(seen.p99) + ",\"ratio\":" + json_number(each.ratio)
           + ",\"ratio_low\":" + json_number(each.ratio_low) + ",\"ratio_high\":" + json_number(each.ratio_high)
           + ",\"commands\":" + json_number(seen.commands) + ",\"server_cpu_us\":" + json_number(seen.server_cpu)
           + ",\"client_cpu_us\":" + json_number(seen.client_cpu) + ",\"spread\":" + json_number(seen.spread)
           + ",\"aim\":" + (each.aim.empty() ? "null" : quoted(each.aim)) + ",\"met\":" + (each.met ? "true" : "false")
           + "}";
}

} // namespace

std::string as_json(report const& all) {
    std::string text = "{\"surroundings\":{";
    for (auto const& [key, value] : all.surroundings)
        text += (text.back() == '{' ? "" : ",") + quoted(key) + ":" + quoted(value);
    text += "},\"rounds\":" + std::to_string(all.rounds) + ",\"period_ms\":" + std::to_string(all.period.count())
            + ",\"results\":[";
    for (auto const& one : all.results) {
        text += text.back() == '[' ? "" : ",";
        text += "{\"placement\":" + quoted(one.placement) + ",\"scenario\":" + quoted(one.scenario)
                + ",\"unit\":" + quoted(one.unit) + ",\"lines\":[";
        for (auto const& each : one.lines) text += (text.back() == '[' ? "" : ",") + json_line(each);
        text += "]}";
    }
    return text + "]}\n";
}

} // namespace redlatch::bench
