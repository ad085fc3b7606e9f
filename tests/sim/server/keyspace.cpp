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

std::string shown(entry const& one) {
    std::string text;
    if (auto const* plain = std::get_if<std::string>(&one.value)) {
        text = *plain;
    } else {
        for (auto const& [field, value] : std::get<hash_fields>(one.value)) {
            text += (text.empty() ? "{" : " ") + field + "=" + value;
        }
        text += "}";
    }
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
            if (auto const* plain = std::get_if<std::string>(&one.value)) {
                mix(hash, text(*plain));
                continue;
            }
            for (auto const& [field, value] : std::get<hash_fields>(one.value)) {
                mix(hash, text(field));
                mix(hash, text(value));
            }
        }
    }
    return hash;
}

std::ostream& operator<<(std::ostream& out, keyspace const& data) {
    for (auto const& line : data.lines()) out << line << '\n';
    return out;
}

} // namespace redlatch::sim
