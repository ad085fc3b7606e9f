// The kinds of lock, as the suites of this folder get them.
#pragma once

#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <ostream>
#include <string>
#include <string_view>

namespace redlatch::test {

struct lock_kind {
    std::string_view name; ///< as basic_lock::kind()
    any_lock (*get)(client& from, std::string const& name);
    bool reentrant = true;
    bool announces_releases = true; ///< on the lock's channel
    bool gives_tokens = false;
    bool queues_on_server = false;
    bool minimum_hold = true;                            ///< knows hold_at_least
    std::string_view channel = "redisson_lock__channel"; ///< its prefix
    std::string_view to_redisson{};                      ///< what Redisson takes it for; empty: the same kind
};

inline constexpr lock_kind lock_kinds[] = {
    {.name = "reentrant", .get = [](client& from, std::string const& name) -> any_lock { return from.get_lock(name); }},
    {.name = "non_reentrant",
     .get = [](client& from, std::string const& name) -> any_lock { return from.get_non_reentrant_lock(name); },
     .reentrant = false},
    {.name = "spin",
     .get = [](client& from, std::string const& name) -> any_lock { return from.get_spin_lock(name); },
     .announces_releases = false},
    {.name = "fenced",
     .get = [](client& from, std::string const& name) -> any_lock { return from.get_fenced_lock(name); },
     .gives_tokens = true},
    {.name = "fair",
     .get = [](client& from, std::string const& name) -> any_lock { return from.get_fair_lock(name); },
     .queues_on_server = true},
    {.name = "non_reentrant_fair",
     .get = [](client& from, std::string const& name) -> any_lock { return from.get_non_reentrant_fair_lock(name); },
     .reentrant = false,
     .queues_on_server = true},
    {.name = "election",
     .get = [](client& from, std::string const& name) -> any_lock { return from.get_leader_election(name).lock(); },
     .reentrant = false,
     .gives_tokens = true,
     .to_redisson = "fenced"},
    {.name = "write",
     .get = [](client& from, std::string const& name) -> any_lock {
         return from.get_read_write_lock(name).write_lock();
     },
     .minimum_hold = false,
     .channel = "redisson_rwlock"},
};

inline void PrintTo(lock_kind const& kind, std::ostream* out) {
    *out << kind.name;
}

/// All keys but the counters of tokens, which outlive their locks, are gone, and nobody listens.
inline void expect_clean_but_for_tokens(redis_server const& server) {
    for (auto const& key : server.run("KEYS", "redisson_lock_token:*").items) server.run("DEL", key.text);
    expect_clean(server);
}

} // namespace redlatch::test
