#include "history.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <sstream>
#include <utility>

namespace redlatch::chaos {

namespace {

constexpr std::array<std::pair<kind, std::string_view>, 19> names{{{kind::begin, "begin"},
                                                                   {kind::end, "end"},
                                                                   {kind::ask, "ask"},
                                                                   {kind::got, "got"},
                                                                   {kind::fail, "fail"},
                                                                   {kind::enter, "enter"},
                                                                   {kind::turned_away, "turned_away"},
                                                                   {kind::look, "look"},
                                                                   {kind::leave, "leave"},
                                                                   {kind::lost, "lost"},
                                                                   {kind::told, "told"},
                                                                   {kind::freed, "freed"},
                                                                   {kind::fault, "fault"},
                                                                   {kind::healed, "healed"},
                                                                   {kind::released, "released"},
                                                                   {kind::stopped, "stopped"},
                                                                   {kind::continued, "continued"},
                                                                   {kind::killed, "killed"},
                                                                   {kind::key_left, "key_left"}}};

} // namespace

std::string_view name_of(kind what) noexcept {
    return names.at(static_cast<std::size_t>(what)).second;
}

std::string to_line(event const& what) {
    std::ostringstream line;
    line << what.at << ' ' << what.who << ' ' << name_of(what.what) << ' ' << what.number << ' ' << what.until << ' '
         << what.text << '\n';
    return line.str();
}

std::optional<event> from_line(std::string_view line) {
    std::istringstream words{std::string(line)};
    event result;
    std::string name;
    if (!(words >> result.at >> result.who >> name >> result.number >> result.until)) return std::nullopt;
    auto const found = std::find_if(names.begin(), names.end(), [&](auto const& each) { return each.second == name; });
    if (found == names.end()) return std::nullopt;
    result.what = found->first;
    std::getline(words >> std::ws, result.text);
    return result;
}

void sort(history& events) {
    std::stable_sort(events.begin(), events.end(),
                     [](event const& left, event const& right) { return left.at < right.at; });
}

std::string_view process_of(std::string_view who) noexcept {
    return who.substr(0, who.find('.'));
}

std::int64_t now_us() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

} // namespace redlatch::chaos
