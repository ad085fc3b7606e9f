// What a simulated server stores: strings and hashes with an expiry, in numbered databases. Plain data: it is copied for a
// replica or for a restart, compared, hashed and printed by checkers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace redlatch::sim {

/// Fields in the order of their first HSET, as Redis keeps small hashes.
class hash_fields {
public:
    using field = std::pair<std::string, std::string>;

    std::string const* find(std::string_view name) const noexcept;
    /// True if the field is new.
    bool set(std::string_view name, std::string_view value);
    /// Behind all others, also if the name is there already.
    void append(std::string name, std::string value);
    bool erase(std::string_view name);

    std::size_t size() const noexcept { return fields_.size(); }
    bool empty() const noexcept { return fields_.empty(); }
    auto begin() const noexcept { return fields_.begin(); }
    auto end() const noexcept { return fields_.end(); }

    bool operator==(hash_fields const&) const = default;

private:
    std::vector<field> fields_;
};

struct entry {
    std::variant<std::string, hash_fields> value;
    std::optional<std::int64_t> expires_at_ms{}; ///< of the server's wall clock

    /// Redis still shows a key in the very millisecond of its expiry.
    bool expired(std::int64_t now_ms) const noexcept { return expires_at_ms && now_ms > *expires_at_ms; }
    bool operator==(entry const&) const = default;
};

using database = std::map<std::string, entry, std::less<>>;

struct keyspace {
    std::array<database, 16> databases;

    /// None if there is no such key, or no longer at `now_ms`.
    entry const* find(std::string_view key, std::int64_t now_ms, std::size_t number = 0) const;
    /// Removes what nobody can see any more at `now_ms`: before two keyspaces are compared.
    void drop_expired(std::int64_t now_ms);
    /// Every key, as "NAME {FIELD=VALUE ...} at 1234" or "NAME text never".
    std::vector<std::string> lines() const;

    bool operator==(keyspace const&) const = default;
};

std::size_t hash_value(keyspace const& data);
std::ostream& operator<<(std::ostream& out, keyspace const& data);

} // namespace redlatch::sim
