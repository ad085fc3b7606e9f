// Three locks of one client that are acquired as one, and another client that may have some of them.
#pragma once

#include "integration/fixture.hpp"

#include <string>

namespace redlatch::test {

class multi_lock_fixture : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    std::string const first = name + "-1";
    std::string const second = name + "-2";
    std::string const third = name + "-3";

    multi_lock mine(multi_lock_order order = multi_lock_order::none) {
        return multi_lock({user.get_lock(first), user.get_lock(second), user.get_lock(third)}, order);
    }
    bool none_is_left() const { return !exists(first) && !exists(second) && !exists(third); }
    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
        EXPECT_TRUE(none_is_left());
    }
};

inline std::string order_name(multi_lock_order order) {
    return order == multi_lock_order::none ? "no_order" : "by_name";
}

} // namespace redlatch::test
