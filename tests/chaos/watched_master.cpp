#include "watched_master.hpp"

#include "support/lock_helpers.hpp"
#include "support/wait_until.hpp"

#include <stdexcept>

namespace redlatch::chaos {

void watched_master::watch_closely() {
    for (std::size_t each = 0; each < 3; ++each) {
        auto const reply = sentinels_.ask(each, {"SENTINEL", "SET", test::sentinel_set::master_name,
                                                 "down-after-milliseconds", std::to_string(down_after.count())});
        if (reply.is_error()) throw std::runtime_error("SENTINEL SET: " + reply.text);
    }
}

void watched_master::fail_over_by_hand() const {
    auto const reply = sentinels_.ask(0, {"SENTINEL", "FAILOVER", test::sentinel_set::master_name});
    if (reply.is_error()) throw std::runtime_error("SENTINEL FAILOVER: " + reply.text);
}

/// Not by the word of a Sentinel: each but one of them hears of a failover two seconds late.
test::redis_server& watched_master::present_master() const {
    auto& servers = sentinels_.servers();
    return servers[servers.role(1) == "master" ? 1 : 0];
}

bool watched_master::somebody_listens(std::string const& lock) const {
    return has_subscriber(present_master().admin(), test::channel_of(lock));
}

std::vector<std::string> watched_master::keys(std::string const& pattern) const {
    return keys_of(present_master().admin(), pattern);
}

} // namespace redlatch::chaos
