#include "sim/server/keyspace.hpp"

#include "sim/server/text.hpp"

#include <algorithm>
#include <ostream>

namespace redlatch::sim {
namespace {

auto find_field(auto& fields, std::string_view name) {
    return std::ranges::find(fields, name, [](auto const& one) -> std::string_view { return one.first; });
}

void mix(std::size_t& hash, std::size_t part) {
    hash ^= part + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

/// What a value is made of, for showing and hashing it.
struct parts {
    char const* brackets;
    std::vector<std::string> texts;
};

parts parts_of(std::string const& plain) {
    return {"", {plain}};
}
parts parts_of(hash_fields const& fields) {
    parts all{"{}", {}};
    for (auto const& [field, value] : fields) all.texts.push_back(field + "=" + value);
    return all;
}
parts parts_of(list_items const& items) {
    return {"[]", items};
}
parts parts_of(scored_members const& members) {
    parts all{"<>", {}};
    for (auto const& [score, name] : members) all.texts.push_back(name + "=" + shown_score(score));
    return all;
}

std::string shown(entry const& one) {
    auto const all = std::visit([](auto const& value) { return parts_of(value); }, one.value);
    bool const plain = *all.brackets == 0;
    std::string text;
    for (auto const& part : all.texts) text += (text.empty() ? "" : " ") + part;
    if (!plain) text = all.brackets[0] + text + all.brackets[1];
    return text + (one.expires_at_ms ? " at " + std::to_string(*one.expires_at_ms) : " never");
}

} // namespace

std::string const* hash_fields::find(std::string_view name) const noexcept {
    auto const place = find_field(fields_, name);
    return place == fields_.end() ? nullptr : &place->second;
}

bool hash_fields::set(std::string_view name, std::string_view value) {
    auto const place = find_field(fields_, name);
    if (place == fields_.end()) {
        fields_.emplace_back(name, value);
        return true;
    }
    place->second = value;
    return false;
}

void hash_fields::append(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
}

bool hash_fields::erase(std::string_view name) {
    auto const place = find_field(fields_, name);
    if (place == fields_.end()) return false;
    fields_.erase(place);
    return true;
}

std::optional<double> scored_members::find(std::string_view name) const noexcept {
    auto const place =
        std::ranges::find(members_, name, [](auto const& one) -> std::string_view { return one.second; });
    return place == members_.end() ? std::nullopt : std::optional(place->first);
}

bool scored_members::set(std::string_view name, double score) {
    bool const known = erase(name);
    std::pair<double, std::string> fresh(score, name);
    members_.insert(std::ranges::upper_bound(members_, fresh), std::move(fresh));
    return !known;
}

bool scored_members::erase(std::string_view name) {
    return std::erase_if(members_, [&](auto const& one) { return one.second == name; }) > 0;
}

entry const* keyspace::find(std::string_view key, std::int64_t now_ms, std::size_t number) const {
    auto const& chosen = databases.at(number);
    auto const place = chosen.find(key);
    return place == chosen.end() || place->second.expired(now_ms) ? nullptr : &place->second;
}

void keyspace::drop_expired(std::int64_t now_ms) {
    for (auto& each : databases) {
        std::erase_if(each, [&](auto const& item) { return item.second.expired(now_ms); });
    }
}

std::vector<std::string> keyspace::lines() const {
    std::vector<std::string> result;
    for (std::size_t number = 0; number < databases.size(); ++number) {
        for (auto const& [key, one] : databases[number]) {
            auto const prefix = number == 0 ? std::string() : std::to_string(number) + ":";
            result.push_back(prefix + key + " " + shown(one));
        }
    }
    return result;
}

std::size_t hash_value(keyspace const& data) {
    auto const text = [](std::string_view bytes) { return static_cast<std::size_t>(stable_hash(bytes)); };
    std::size_t hash = 0;
    for (auto const& each : data.databases) {
        mix(hash, each.size());
        for (auto const& [key, one] : each) {
            mix(hash, text(key));
            mix(hash, one.value.index());
            mix(hash, one.expires_at_ms ? static_cast<std::size_t>(*one.expires_at_ms) + 1 : 0);
            if (auto const* const fields = std::get_if<hash_fields>(&one.value)) { // the usual one, without copies
                for (auto const& [field, value] : *fields) {
                    mix(hash, text(field));
                    mix(hash, text(value));
                }
                continue;
            }
            auto const all = std::visit([](auto const& value) { return parts_of(value); }, one.value);
            for (auto const& part : all.texts) mix(hash, text(part));
        }
    }
    return hash;
}

std::ostream& operator<<(std::ostream& out, keyspace const& data) {
    for (auto const& line : data.lines()) out << line << '\n';
    return out;
}

} // namespace redlatch::sim
