// What the scripts of the re-entrant lock do to the keys of a server, in the fuzzer's words (lua/ has the scripts).
#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace redlatch::fuzz {

struct lock_command {
    enum class script { acquire, plain_acquire, set_count, release, renew };
    script what;
    std::string name;
    std::string owner_id;
    base::milliseconds lease{};
};

class lock_server {
public:
    static constexpr std::int64_t acquired = -2;
    static constexpr std::int64_t key_exists = -3;

    /// acquire: `acquired`, or how long the lease of the other one lasts; plain_acquire: `acquired` or `key_exists`, whoever's
    /// it is; the others: 1, or 0 if it is not theirs.
    std::int64_t run(lock_command const& command, base::instant now) {
        auto const found = keys_.find(command.name);
        bool const there = found != keys_.end() && now < found->second.expires;
        bool const ours = there && found->second.owner_id == command.owner_id;
        auto const expires = now + command.lease;
        switch (command.what) {
        case lock_command::script::acquire:
            if (there && !ours)
                return std::chrono::duration_cast<base::milliseconds>(found->second.expires - now).count();
            keys_[command.name] = {command.owner_id, ours ? std::max(found->second.expires, expires) : expires};
            return acquired;
        case lock_command::script::plain_acquire:
            if (there) return key_exists;
            keys_[command.name] = {command.owner_id, expires};
            return acquired;
        case lock_command::script::set_count:
        case lock_command::script::renew:
            if (ours) found->second.expires = std::max(found->second.expires, expires);
            return ours ? 1 : 0;
        case lock_command::script::release:
            if (ours) keys_.erase(found);
            return ours ? 1 : 0;
        }
        return 0;
    }

    void del(std::string const& name) { keys_.erase(name); }

    bool holds(std::string const& name, std::string const& owner_id, base::instant now) const {
        auto const found = keys_.find(name);
        return found != keys_.end() && now < found->second.expires && found->second.owner_id == owner_id;
    }
    bool empty(base::instant now) const {
        return std::none_of(keys_.begin(), keys_.end(), [&](auto const& one) { return now < one.second.expires; });
    }

private:
    struct key {
        std::string owner_id;
        base::instant expires;
    };
    std::map<std::string, key> keys_;
};

} // namespace redlatch::fuzz
