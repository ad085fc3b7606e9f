#include "sim/server/differential/comparison.hpp"

#include "resp/reader.hpp"
#include "sim/server/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace redlatch::sim {
namespace {

using resp::value;

// Below this an integer is a count, above it a time in milliseconds.
constexpr std::int64_t longest_count = 50'000;

bool equal(value const& one, value const& other) {
    return one.type == other.type && one.integer == other.integer && one.text == other.text
           && std::ranges::equal(one.items, other.items, equal);
}

bool close(value const& one, value const& other, std::int64_t tolerance) {
    if (one.is_array() && other.is_array())
        return std::ranges::equal(one.items, other.items,
                                  [&](auto const& a, auto const& b) { return close(a, b, tolerance); });
    bool const times =
        one.is_integer() && other.is_integer() && one.integer > longest_count && other.integer > longest_count;
    return times ? std::abs(one.integer - other.integer) <= tolerance : equal(one, other);
}

// "id=3 addr=... name=x\n" -> the fields that a simulated client has too. Lines of the kit's own clients are left out.
std::string clients_in(std::string const& text, std::map<std::string, std::string> const& ids, bool real) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::map<std::string, std::string> fields;
        std::istringstream words(line);
        for (std::string word; words >> word;) fields[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
        auto const known = std::ranges::find_if(
            ids, [&](auto const& item) { return (real ? item.first : item.second) == fields["id"]; });
        if (known == ids.end()) continue;
        result += "id=" + known->second;
        for (char const* const name : {"addr", "laddr", "name", "flags", "db", "sub", "psub", "cmd", "user", "resp"}) {
            result += std::string(" ") + name + "=" + fields[name];
        }
        result += "\n";
    }
    return result;
}

std::string server_facts(std::string const& text) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        for (char const* const fact : {"redis_version:", "redis_mode:", "role:"}) {
            if (line.starts_with(fact)) result += line;
        }
        if (line.starts_with("run_id:")) result += "run_id of " + std::to_string(line.size()) + " characters";
    }
    return result;
}

void with_simulated_ids(value& reply, std::map<std::string, std::string> const& ids) {
    auto const place = ids.find(std::to_string(reply.integer));
    if (reply.is_integer() && place != ids.end()) reply.integer = std::stoll(place->second);
    for (auto& item : reply.items) with_simulated_ids(item, ids);
}

void sort_texts(value& reply) {
    for (auto& item : reply.items) sort_texts(item);
    if (!reply.items.empty() && reply.items.front().is_text()) std::ranges::sort(reply.items, {}, &value::text);
}

} // namespace

value parsed(std::string_view bytes) {
    resp::reader reader;
    reader.feed(bytes);
    value result;
    if (reader.next(result) != resp::reader::result::value) throw difference{"not a reply: " + shown(bytes)};
    return result;
}

bool same_reply(word_list const& command, std::string_view simulated, std::string_view real, same_but const& allowed) {
    if (simulated == real) return true;
    if (command.empty() || simulated.front() != real.front()) return false;
    auto one = parsed(simulated);
    auto other = parsed(real);
    auto const name = lower(command[0]);
    auto const second = command.size() > 1 ? lower(command[1]) : "";
    if (name == "eval" || name == "evalsha" || name == "pttl" || name == "pexpiretime")
        return close(one, other, allowed.tolerance_ms);
    if (name == "ttl") return std::abs(one.integer - other.integer) <= 1 + allowed.tolerance_ms / 1000;
    if (name == "scan" && second != "0" && !second.empty()) return true; // each server has cursors of its own
    if (name == "keys" || name == "scan") {
        sort_texts(one);
        sort_texts(other);
        return equal(one, other);
    }
    if ((name == "client" && second == "id") || name == "hello") {
        with_simulated_ids(other, allowed.simulated_ids);
        return equal(one, other);
    }
    if (name == "client" && (second == "info" || second == "list"))
        return clients_in(one.text, allowed.simulated_ids, false)
               == clients_in(other.text, allowed.simulated_ids, true);
    if (name == "info") return server_facts(one.text) == server_facts(other.text);
    return false;
}

} // namespace redlatch::sim
