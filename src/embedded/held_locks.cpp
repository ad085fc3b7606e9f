#include "embedded/held_locks.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <charconv>

namespace redlatch::embedded {

namespace {

resp::value answer(resp::value reply) {
    if (reply.is_error()) throw error(errc::server_refused, "the private server refused: " + reply.text);
    return reply;
}

/// The line without its CRLF; moves on.
std::string_view take_line(std::string_view& text) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

bool is_owner_field(std::string_view field) {
    auto const colon = field.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == field.size()) return false;
    return field.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_lock(exchange& server, std::string const& key) {
    auto const type = answer(server.command("TYPE", key));
    if (type.text != "hash") return false;
    auto const fields = answer(server.command("HKEYS", key));
    return std::ranges::any_of(fields.items, [](resp::value const& field) { return is_owner_field(field.text); });
}

void scan_database(exchange& server, held_locks& found) {
    std::string cursor = "0";
    do {
        auto const page = answer(server.command("SCAN", cursor, "COUNT", "1000"));
        if (!page.is_array() || page.items.size() != 2 || !page.items[1].is_array())
            throw error(errc::bad_reply, "the private server sent an unexpected reply to SCAN");
        cursor = page.items[0].text;
        for (auto const& key : page.items[1].items) {
            if (!is_lock(server, key.text)) continue;
            if (found.count == 0) found.example = key.text;
            if (++found.count == most_counted) return;
        }
    } while (cursor != "0");
}

} // namespace

std::string info_value(std::string_view info, std::string_view key) {
    while (!info.empty()) {
        auto const line = take_line(info);
        if (line.starts_with(key) && line.substr(key.size()).starts_with(':'))
            return std::string(line.substr(key.size() + 1));
    }
    return {};
}

keyspace parse_keyspace(std::string_view info) {
    keyspace result;
    while (!info.empty()) {
        auto const line = take_line(info); // db0:keys=3,expires=3,avg_ttl=0
        constexpr std::string_view middle = ":keys=";
        auto const colon = line.find(middle);
        if (!line.starts_with("db") || colon == std::string_view::npos) continue;
        int number = 0;
        long long keys = 0;
        if (std::from_chars(line.data() + 2, line.data() + colon, number).ec != std::errc{}) continue;
        std::from_chars(line.data() + colon + middle.size(), line.data() + line.size(), keys);
        result.databases.push_back(number);
        result.keys += keys;
    }
    return result;
}

held_locks find_held_locks(exchange& server) {
    held_locks found;
    for (int const number : parse_keyspace(answer(server.command("INFO", "keyspace")).text).databases) {
        answer(server.command("SELECT", std::to_string(number)));
        scan_database(server, found);
        if (found.count == most_counted) break;
    }
    return found;
}

} // namespace redlatch::embedded
