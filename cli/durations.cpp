#include "durations.hpp"

#include "exit_code.hpp"
#include "text.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace redlatch::cli {
namespace {

struct unit {
    std::string_view name;
    std::int64_t milliseconds;
};
using namespace std::chrono_literals;

constexpr std::array<unit, 4> units{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

[[noreturn]] void refuse(std::string_view text, std::string_view reason) {
    throw usage_error("'" + printable(text) + "' is not a duration: " + std::string(reason));
}

} // namespace

duration parse_duration(std::string_view text) {
    constexpr std::int64_t most = longest_duration.count();
    if (text.empty()) refuse(text, "it is empty; write 500ms, 30s, 5m, 1h or 1m30s");
    if (text.starts_with("--")) refuse(text, "it looks like a flag; is the duration missing?");
    if (text.front() == '-') refuse(text, "it is negative");
    std::int64_t total = 0;
    std::size_t next_unit = 0;
    for (auto rest = text; !rest.empty();) {
        if (!is_digit(rest.front())) refuse(text, "a whole number is missing; write 500ms, 30s, 5m, 1h or 1m30s");
        std::int64_t number = 0;
        while (!rest.empty() && is_digit(rest.front())) {
            number = number * 10 + (rest.front() - '0');
            if (number > most) refuse(text, "it is too long; the longest is 876600h");
            rest.remove_prefix(1);
        }
        std::size_t length = 0;
        while (length < rest.size() && !is_digit(rest[length])) ++length;
        auto const name = rest.substr(0, length);
        if (name.empty())
            refuse(text, "a number without a unit could mean seconds or milliseconds; write " + std::to_string(number)
                             + "s or " + std::to_string(number) + "ms");
        auto found = next_unit;
        while (found < units.size() && units[found].name != name) ++found;
        if (found == units.size()) {
            for (auto const& known : units)
                if (known.name == name) refuse(text, "larger units come first, each once, as in 1m30s");
            refuse(text, "'" + printable(name) + "' is not a unit; there are h, m, s and ms");
        }
        if (number > (most - total) / units[found].milliseconds) refuse(text, "it is too long; the longest is 876600h");
        total += number * units[found].milliseconds;
        next_unit = found + 1;
        rest.remove_prefix(length);
    }
    return duration(total);
}

std::string to_rounded_text(duration value) {
    using namespace std::chrono;
    if (value >= 1h) return to_text(floor<minutes>(value));
    if (value >= 10s) return to_text(floor<seconds>(value));
    if (value < 1s) return to_text(value);
    auto const tenth = value % seconds(1) / milliseconds(100);
    return std::to_string(floor<seconds>(value).count()) + (tenth == 0 ? "" : "." + std::to_string(tenth)) + "s";
}

std::string to_text(duration value) {
    std::string result;
    auto rest = value.count();
    for (auto const& [name, milliseconds] : units) {
        if (rest >= milliseconds) result += std::to_string(rest / milliseconds) + std::string(name);
        rest %= milliseconds;
    }
    return result.empty() ? "0s" : result;
}

std::string to_precise_text(std::chrono::microseconds value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(value.count()) / 1000.0);
    return text;
}

} // namespace redlatch::cli
