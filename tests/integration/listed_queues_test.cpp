// Fair locks that nobody holds are listed by their queues.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <algorithm>

namespace redlatch::test {
namespace {

std::string const java = "0e1f2a3b-0000-4000-8000-0123456789ab";

class listed_queues_test : public with_server {};

TEST_F(listed_queues_test, have_the_names_of_their_locks) {
    client user(quick(server.uri()));
    for (auto const* const key :
         {"redisson_lock_queue:{jobs:1}", "redisson_lock_queue:{jobs:2}", "redisson_lock_queue:{tasks}",
          "redisson_lock_queue:jobs:{3}", "redisson_lock_queue:{jobs:number}", "redisson_lock_queue:none", "jobs:list"})
        server.run("RPUSH", key, java + ":7");
    server.run("SET", "redisson_lock_queue:{jobs:no list}", "7");
    server.run("SET", "jobs:number", "7");
    hold_as_stranger(server, "jobs:2", 60s);
    hold_as_stranger(server, "jobs:held", 60s);
    auto const names = [&](std::string const& pattern) {
        std::vector<std::string> found;
        for (auto const& one : user.list_locks(pattern)) {
            EXPECT_EQ(one.problem, "") << one.name;
            found.push_back(one.name);
        }
        std::sort(found.begin(), found.end());
        return found;
    };
    EXPECT_EQ(names("*"), (words{"jobs:1", "jobs:2", "jobs:held", "jobs:{3}", "tasks"}));
    EXPECT_EQ(names("jobs:*"), (words{"jobs:1", "jobs:2", "jobs:held", "jobs:{3}"}));
    EXPECT_EQ(names("jobs:{*"), (words{"jobs:{3}"}));
    EXPECT_EQ(names("jobs:[12]"), (words{"jobs:1", "jobs:2"}));
    EXPECT_EQ(names("jobs:[{]3}"), (words{"jobs:{3}"}));
    EXPECT_EQ(names("tasks"), (words{"tasks"}));
    EXPECT_EQ(names("?tasks?"), words{}) << "the brackets are not of the name";
}

TEST_F(listed_queues_test, take_no_further_round_trips) {
    server.run("EVAL", "for i = 1, 1200 do redis.call('hset', 'lock:' .. i, '" + java + ":' .. i, 1) end", "0");
    auto const trips = [&] {
        byte_proxy proxy{server.address()};
        config settings = quick(proxy.uri());
        settings.timeout = 20s; // hundreds of looks pass through the proxy
        client user(settings);
        EXPECT_FALSE(user.list_locks("lock:*").empty());
        EXPECT_EQ(proxy.count(a_command("SCAN")) % 3, 0U)
            << "for locks, and for queues of names with and without brackets";
        return proxy.count(a_command("TIME"));
    };
    auto const before = trips();
    server.run("EVAL", "for i = 1, 100 do redis.call('rpush', 'redisson_lock_queue:{lock:' .. i .. '}', 'x') end", "0");
    EXPECT_LE(trips(), before + 1) << "they are asked about beside others";
}

} // namespace
} // namespace redlatch::test
