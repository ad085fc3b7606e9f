#include "redisson_defects_test.hpp"

namespace redlatch::test {

long long redisson_defects_test::server_milliseconds() {
    auto const now = server().run("TIME");
    return std::stoll(now.items.at(0).text) * 1000 + std::stoll(now.items.at(1).text) / 1000;
}

bool redisson_defects_test::writes_paused::hold_up(int clients) const {
    return wait_until([&] {
        std::string const list = server().run("CLIENT", "LIST").text;
        int held_up = 0;
        for (auto at = list.find("flags=b"); at != std::string::npos; at = list.find("flags=b", at + 1)) ++held_up;
        return held_up >= clients;
    });
}

} // namespace redlatch::test
