#include "locking/refused_command.hpp"

#include "locking/script.hpp"

#include <charconv>

namespace redlatch::locking {
namespace {

constexpr std::string_view places[]{"on @user_script:", "): @user_script:"}; // of Redis 7.0 and 6.2
constexpr std::string_view refusal = "can't run this command";

std::string_view behind_place(std::string_view text) {
    for (auto const place : places)
        if (auto const at = text.find(place); at != std::string_view::npos) return text.substr(at + place.size());
    return {};
}

std::string_view line_of(std::string_view text, int number) {
    for (; number > 1; --number) {
        auto const end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

/// Those that the line calls, as "'pttl' or 'pexpire'": which of several is not said. PUBLISH comes as an argument; its refusal
/// ends no script.
std::string commands_in(std::string_view line) {
    constexpr std::string_view call = "call('";
    std::string all;
    if (line.starts_with("--")) return all;
    for (auto at = line.find(call); at != std::string_view::npos; at = line.find(call)) {
        line.remove_prefix(at + call.size());
        auto const one = "'" + std::string(line.substr(0, line.find('\''))) + "'";
        if (all.find(one) == std::string::npos) all += (all.empty() ? "" : " or ") + one;
    }
    return all;
}

} // namespace

std::string naming_command(std::string_view server_said) {
    std::string named(server_said);
    auto const digits = behind_place(server_said);
    if (digits.empty() || server_said.find(refusal) == std::string_view::npos) return named;
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    for (auto const* one : scripts::all) {
        if (server_said.find(one->sha1) == std::string_view::npos) continue;
        auto const commands = commands_in(line_of(one->text, number));
        if (!commands.empty()) named += " (the command is " + commands + ")";
    }
    return named;
}

} // namespace redlatch::locking
