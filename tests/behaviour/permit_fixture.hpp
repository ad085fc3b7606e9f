// A permit semaphore that two clients share; the first one is behind a proxy.
#pragma once

#include "integration/fixture.hpp"

#include <cstdint>
#include <string>

namespace redlatch::test {

class permit_fixture : public with_server {
protected:
    static config settings(std::string address) { return quick(std::move(address)); }

    byte_proxy proxy{server.address()};
    client user{settings(proxy.uri())};
    client other{settings(server.uri())};
    permit_semaphore mine = user.get_permit_semaphore(name, {.exactly_once = true});
    permit_semaphore theirs = other.get_permit_semaphore(name);

    std::string value() const { return server.run("GET", name).text; }
    bool becomes(std::string const& wanted) const {
        return wait_until([&] { return value() == wanted; });
    }
    std::string timeouts() const { return "{" + name + "}:timeout"; }
    std::int64_t taken() const { return server.run("ZCARD", timeouts()).integer; }
    std::string channel() const { return "redisson_sc:{" + name + "}"; }
    void TearDown() override {
        expect_idle(user);
        expect_idle(other);
    }
};

} // namespace redlatch::test
