// What the tests of the scripts in lua/permit_*.lua have in common.
#pragma once

#include "lua/script_test.hpp"

#include <string>

namespace redlatch::test {

inline std::string const timeouts = "{permits}:timeout";
inline std::string const permit_channel = "redisson_sc:{permits}";
inline std::string const undone = "redlatch_request:{permits}:me:1";
inline std::string const one = "permit-number-01";
inline std::string const two = "permit-number-02";
inline std::string const never = "922337203685477";
inline std::string const lease_ms = "100000";

inline words number(std::string const& value) {
    return {"SET", "permits", value};
}
/// A permit whose lease is over.
inline words ended(std::string const& id) {
    return {"ZADD", timeouts, "1000", id};
}
/// A permit that nobody has to renew.
inline words for_ever(std::string const& id) {
    return {"ZADD", timeouts, never, id};
}

class permit_script : public script_test {
protected:
    /// A permit whose lease ends in a hundred seconds.
    words leased(std::string const& id) { return {"ZADD", timeouts, std::to_string(server_time() + 100'000), id}; }
    static words about(words more = {}) {
        words keys{"permits", timeouts};
        keys.insert(keys.end(), more.begin(), more.end());
        return keys;
    }
};

} // namespace redlatch::test
