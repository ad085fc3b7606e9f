// What a simulated server stores: strings, hashes, lists and sorted sets with an expiry, in numbered databases. Plain data: it
// is copied for a replica or for a restart, compared, hashed and printed by checkers.
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

/// The first one first.
using list_items = std::vector<std::string>;

/// Members by their scores, equal ones in the order of their bytes.
class scored_members {
public:
    std::optional<double> find(std::string_view name) const noexcept;
    /// True if the member is new.
    bool set(std::string_view name, double score);
    bool erase(std::string_view name);

    std::size_t size() const noexcept { return members_.size(); }
    bool empty() const noexcept { return members_.empty(); }
    auto begin() const noexcept { return members_.begin(); }
    auto end() const noexcept { return members_.end(); }

    bool operator==(scored_members const&) const = default;

private:
    std::vector<std::pair<double, std::string>> members_;
};

using entry_value = std::variant<std::string, hash_fields, list_items, scored_members>;

struct entry {
    entry_value value;
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
    /// Every key, as "NAME {FIELD=VALUE ...} at 1234", "NAME text never", "NAME [item ...] never" or
    /// "NAME <member=score ...> never".
    std::vector<std::string> lines() const;

    bool operator==(keyspace const&) const = default;
};

std::size_t hash_value(keyspace const& data);
std::ostream& operator<<(std::ostream& out, keyspace const& data);

} // namespace redlatch::sim
