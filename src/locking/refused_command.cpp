#include "locking/refused_command.hpp"

#include "connection/server_error.hpp"
#include "locking/names.hpp"
#include "locking/script.hpp"
#include "resp/reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

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

constexpr std::size_t most_named = 8;

/// Of a script those that it names; of a command its first argument, as of all that take a key here.
std::vector<std::string> keys_in(std::string_view call) {
    resp::reader reader;
    reader.feed(call);
    resp::value words;
    if (reader.next(words) != resp::reader::result::value || words.items.size() < 2) return {};
    auto const& command = words.items[0].text;
    std::size_t first = 1;
    std::size_t count = 1;
    if (command == "EVALSHA" || command == "EVAL") {
        first = 3;
        count = 0;
        auto const number = words.items.size() > 2 ? std::string_view(words.items[2].text) : std::string_view();
        std::from_chars(number.data(), number.data() + number.size(), count);
    }
    std::vector<std::string> keys;
    for (auto at = first; at < words.items.size() && keys.size() < count; ++at) keys.push_back(words.items[at].text);
    return keys;
}

/// For want of a right. None: for another reason.
std::optional<connection::reach> reach_of(std::string_view server_said) {
    resp::value const error{.type = resp::value::kind::error, .text = std::string(server_said)};
    if (!connection::is_missing_right(error)) return std::nullopt;
    return connection::reach_of(error);
}

} // namespace

std::string word_of_rule(char sign, std::string_view name) {
    auto word = shown(literal(name));
    word.front() = sign;
    word.pop_back();
    return word;
}

std::string naming_right(std::string_view server_said, std::string_view call) {
    auto named = naming_command(server_said);
    if (reach_of(server_said) != connection::reach::keys) return named;
    auto const keys = keys_in(call);
    if (keys.empty()) return named;
    named += keys.size() == 1 ? " (the key is" : " (the keys are";
    for (std::size_t at = 0; at < std::min(keys.size(), most_named); ++at) named += ' ' + word_of_rule('~', keys[at]);
    if (keys.size() > most_named) named += " and " + std::to_string(keys.size() - most_named) + " others";
    return named + ')';
}

std::string naming_channel(std::string_view server_said, std::string_view channel) {
    std::string named(server_said);
    if (reach_of(server_said) != connection::reach::unknown) return named;
    return named + "; the channel is " + word_of_rule('&', channel);
}

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
