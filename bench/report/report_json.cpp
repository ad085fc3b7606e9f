#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace redlatch::bench {

namespace {

using json = nlohmann::ordered_json; // in the order of the table

json number(std::optional<double> value) {
    return value ? json(*value) : json(nullptr);
}

json json_of(line const& each) {
    json result{{"name", each.name}};
    for (std::size_t place = 0; place < figure_count; ++place) {
        auto const which = static_cast<figure>(place);
        result[name_of(which).key] = number(each.median[which]);
    }
    result["ratio"] = number(each.ratio);
    result["ratio_low"] = number(each.ratio_low);
    result["ratio_high"] = number(each.ratio_high);
    result["aims"] = json::array();
    for (auto const& one : each.judgements)
        result["aims"].push_back({{"aim", one.text}, {"seen", number(one.seen)}, {"met", one.met}});
    return result;
}

} // namespace

std::string as_json(report const& all) {
    json result;
    for (auto const& [key, value] : all.surroundings) result["surroundings"][key] = value;
    result["rounds"] = all.rounds;
    result["period_ms"] = all.period ? json(all.period->count()) : json(nullptr);
    result["results"] = json::array();
    for (auto const& one : all.results) {
        json each{{"placement", one.placement}, {"scenario", one.scenario}, {"unit", one.unit}};
        each["lines"] = json::array();
        for (auto const& line : one.lines) each["lines"].push_back(json_of(line));
        each["notes"] = one.notes;
        result["results"].push_back(std::move(each));
    }
    return result.dump(1) + "\n";
}

} // namespace redlatch::bench
