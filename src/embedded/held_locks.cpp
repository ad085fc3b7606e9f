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

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_uuid(std::string_view text) {
    return text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-'
           && text.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos;
}

/// What stands before the next colon; moves on.
std::string_view take_part(std::string_view& text) {
    auto const part = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

/// The name of a permit semaphore whose permits are in this sorted set; empty: it is none (protocol section 7.3).
std::string_view semaphore_of(std::string_view key) {
    constexpr std::string_view end = ":timeout";
    if (!key.ends_with(end)) return {};
    key.remove_suffix(end.size());
    bool const in_brackets = key.size() > 2 && key.front() == '{' && key.back() == '}';
    auto const inner = in_brackets ? key.substr(1, key.size() - 2) : key;
    if (in_brackets && inner.find('{') == std::string_view::npos) return inner;
    return key.find('{') == std::string_view::npos ? std::string_view() : key;
}

bool has_owner(exchange& server, std::string const& key) {
    auto const fields = answer(server.command("HKEYS", key));
    return std::ranges::any_of(fields.items, [](resp::value const& field) { return is_owner_field(field.text); });
}

/// Permits whose lease is over are there until somebody looks.
bool has_taken_permits(exchange& server, std::string const& key, std::string const& now) {
    return answer(server.command("ZCOUNT", key, '(' + now, "+inf")).integer > 0;
}

/// In milliseconds since the epoch, as the scripts that write it count.
std::string server_time(exchange& server) {
    auto const time = answer(server.command("TIME"));
    if (!time.is_array() || time.items.size() != 2)
        throw error(errc::bad_reply, "the private server sent an unexpected reply to TIME");
    auto const micros = "00000" + time.items[1].text; // of the second
    return time.items[0].text + micros.substr(micros.size() - 6, 3);
}

/// The name of the lock or semaphore of which something is held under this key; empty: nothing is.
std::string held_under(exchange& server, std::string const& key, std::string const& now) {
    auto const type = answer(server.command("TYPE", key)).text;
    if (type == "hash") return has_owner(server, key) ? key : "";
    auto const semaphore = type == "zset" ? semaphore_of(key) : std::string_view();
    return !semaphore.empty() && has_taken_permits(server, key, now) ? std::string(semaphore) : "";
}

void scan_database(exchange& server, held_locks& found) {
    auto const now = server_time(server);
    std::string cursor = "0";
    do {
        auto const page = answer(server.command("SCAN", cursor, "COUNT", "1000"));
        if (!page.is_array() || page.items.size() != 2 || !page.items[1].is_array())
            throw error(errc::bad_reply, "the private server sent an unexpected reply to SCAN");
        cursor = page.items[0].text;
        for (auto const& key : page.items[1].items) {
            auto const name = held_under(server, key.text, now);
            if (name.empty()) continue;
            if (found.count == 0) found.example = name, found.of_permits = name != key.text;
            if (++found.count == most_counted) return;
        }
    } while (cursor != "0");
}

} // namespace

bool is_owner_field(std::string_view field) {
    auto const colon = field.rfind(':');
    if (colon != std::string_view::npos && colon != 0 && is_number(field.substr(colon + 1))) return true;
    // Behind it :write, a candidate or a member of a value's hold, before it that value. A candidate may have colons.
    auto const first = take_part(field);
    auto const second = take_part(field);
    return is_uuid(first) ? is_number(second) : is_uuid(second) && is_number(take_part(field));
}

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
