// The kinds of lock, as the suites of this folder get them.
#pragma once

#include "integration/fixture.hpp"
#include "locking/recipes/faster_multi.hpp"
#include "support/both_faces.hpp"

#include <chrono>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::test {

/// Of the kind that locks values of a group: which, where a test asks for no others.
inline std::vector<std::string> const values_of_group{"here", "there"};
/// As holders() and hold_as_stranger() of lock_helpers.hpp, with the fields of protocol section 9.1.
std::map<std::string, std::string> holders_of_group(redis_server const& server, std::string const& name);
void hold_group_as_stranger(redis_server const& server, std::string const& name, std::chrono::milliseconds lease,
                            std::string const& owner = "00000000-0000-4000-8000-000000000000:1");

struct lock_kind {
    std::string_view name; ///< as basic_lock::kind()
    any_lock (*get)(client& from, std::string const& name);
    bool reentrant = true;
    bool announces_releases = true; ///< on the lock's channel
    bool gives_tokens = false;
    bool queues_on_server = false;
    std::string_view channel = "redisson_lock__channel"; ///< its prefix
    std::map<std::string, std::string> (*holders)(redis_server const& server, std::string const& name) = test::holders;
    void (*hold_as_stranger)(redis_server const& server, std::string const& name, std::chrono::milliseconds lease,
                             std::string const& owner) = test::hold_as_stranger;
    bool kept_out_by_other_kinds = true; ///< under its name; it always keeps them out
    bool java_tells_of_force = true;     ///< what Redisson's forceUnlock() answers is whether it was held
    std::string_view to_redisson{};      ///< what Redisson takes it for; empty: the same kind
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
     .channel = "redisson_rwlock"},
    {.name = "faster_multi",
     .get = [](client& from, std::string const& name) -> any_lock {
         return from.get_faster_multi_lock(name, values_of_group);
     },
     .holders = holders_of_group,
     .hold_as_stranger = hold_group_as_stranger,
     .kept_out_by_other_kinds = false,
     .java_tells_of_force = false},
};

inline std::map<std::string, std::string> holders_of_group(redis_server const& server, std::string const& name) {
    auto const fields = server.run("HGETALL", name);
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i + 1 < fields.items.size(); i += 2) all[fields.items[i].text] = fields.items[i + 1].text;
    std::map<std::string, std::string> result;
    for (auto const& [field, owner] : all)
        if (auto const parsed = locking::faster_multi::parse(field); !parsed.value.empty() && parsed.owner_id.empty())
            result[owner] = all[field + ":" + owner + ":lock_count"];
    return result;
}

inline void hold_group_as_stranger(redis_server const& server, std::string const& name, std::chrono::milliseconds lease,
                                   std::string const& owner) {
    auto admin = server.admin();
    auto const time = admin.command("TIME");
    auto const ends =
        std::stoll(time.items.at(0).text) * 1000 + std::stoll(time.items.at(1).text) / 1000 + lease.count();
    for (auto const& field : locking::faster_multi::fields_of(values_of_group)) {
        ASSERT_EQ(admin.command("HSETNX", name, field, owner).integer, 1) << name << " is not free";
        admin.command("HSET", name, field + ":" + owner + ":expire_time", std::to_string(ends),
                      field + ":" + owner + ":lock_count", "1");
    }
    admin.command("PEXPIRE", name, std::to_string(lease.count()));
}

inline void PrintTo(lock_kind const& kind, std::ostream* out) {
    *out << kind.name;
}

/// In the child of a fork: the number of the first call that was not refused, or 0.
inline int first_not_refused(any_lock& lock, hold& mine) {
    auto const forked = [](auto&& call) { return outcome_of(call).reason == errc::forked; };
    if (!forked([&] { auto const never = lock.acquire({.wait = 1s}); })) return 1;
    if (!forked([&] { auto const never = lock.try_acquire(); })) return 2;
    if (!forked([&] { lock.lock(); })) return 3;
    if (!forked([&] { (void)lock.is_locked(); })) return 4;
    if (!forked([&] { (void)lock.remaining_lease(); })) return 5;
    if (!forked([&] { (void)lock.inspect(); })) return 6;
    if (!forked([&] { (void)lock.force_unlock(); })) return 7;
    if (mine.status() != hold_status::lost || !mine.lost().stop_requested()) return 8;
    if (!forked([&] { mine.release(); })) return 9;
    mine.release_detached();
    return 0;
}

/// All keys but the counters of tokens, which outlive their locks, are gone, and nobody listens.
inline void expect_clean_but_for_tokens(redis_server const& server) {
    for (auto const& key : server.run("KEYS", "redisson_lock_token:*").items) server.run("DEL", key.text);
    expect_clean(server);
}

} // namespace redlatch::test
