// What may be acquired together as a multi_lock.
#include "behaviour/multi_lock_fixture.hpp"

#include <redlatch/fair_lock.hpp>
#include <redlatch/faster_multi_lock.hpp>
#include <redlatch/multi_lock.hpp>
#include <redlatch/read_write_lock.hpp>

#include <memory>
#include <vector>

namespace redlatch::test {
namespace {

class multi_lock_members : public multi_lock_fixture {};

TEST_F(multi_lock_members, has_members_of_any_kind_and_client) {
    auto rw = other.get_read_write_lock(third);
    multi_lock mixed({user.get_fair_lock(first), other.get_fenced_lock(second), rw.read_lock()});
    auto held = mixed.acquire();
    EXPECT_TRUE(held.members()[1].token());
    EXPECT_FALSE(user.get_read_write_lock(third).write_lock().try_lock());
    held.release();
    server.run("DEL", "redisson_lock_token:{" + second + "}");
}

TEST_F(multi_lock_members, refuses_members_that_would_wait_for_each_other) {
    auto const refused = outcome_of([&] { multi_lock const both({user.get_lock(first), user.get_fair_lock(first)}); });
    EXPECT_EQ(refused.reason, errc::invalid_argument);
    EXPECT_NE(refused.message.find("two members have the name '" + first + "'"), std::string::npos) << refused.message;
    auto const refuses = [](std::vector<basic_lock> members) {
        return outcome_of([&] { multi_lock const all(std::move(members)); }).reason == errc::invalid_argument;
    };
    EXPECT_TRUE(refuses({user.get_lock(first), user.get_read_write_lock(first).read_lock()}));
    EXPECT_TRUE(refuses({user.get_read_write_lock(first).read_lock(), user.get_fair_lock(first)}));
    EXPECT_TRUE(refuses({user.get_faster_multi_lock(first, {"x"}), user.get_lock(first)}));
    EXPECT_FALSE(refuses({user.get_lock(first), other.get_fair_lock(first)})) << "it may be on another server";
    multi_lock({user.get_lock(first), user.get_lock(first)}).acquire().release();
    auto halves = user.get_read_write_lock(second);
    EXPECT_TRUE(refuses({halves.read_lock(), halves.write_lock()})) << "they would be asked for at the same time";
    EXPECT_TRUE(refuses({halves.write_lock(), halves.read_lock()}));
    multi_lock({halves.read_lock(), halves.read_lock()}).acquire().release();
    multi_lock({user.get_faster_multi_lock(third, {"a"}), user.get_faster_multi_lock(third, {"b"})})
        .acquire()
        .release();
}

TEST_F(multi_lock_members, has_members_on_several_servers) {
    redis_server second_server;
    redis_server third_server;
    client far{quick(second_server.uri())};
    client farther{quick(third_server.uri())};
    auto const all = [&] { return multi_lock({user.get_lock(name), far.get_lock(name), farther.get_lock(name)}); };
    auto held = all().acquire({.owner = owner()});
    for (auto const* one : {&server, &second_server, &third_server}) EXPECT_EQ(holders(*one, name).size(), 1U);
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(all().try_acquire({.owner = owner()}));
    EXPECT_TRUE(held);
    held.release();
    EXPECT_TRUE(all().try_acquire({.owner = owner()}));
    expect_idle(far);
    expect_idle(farther);
}

/// Two processes reach two servers by addresses that sort otherwise.
TEST_F(multi_lock_members, of_one_name_do_not_deadlock_where_others_know_their_servers_by_other_addresses) {
    redis_server far_server;
    std::vector<std::unique_ptr<byte_proxy>> ways;
    auto const other_order = [&] { return (ways[0]->uri() < ways[1]->uri()) != (server.uri() < far_server.uri()); };
    do {
        ways.clear();
        for (auto const* to : {&server, &far_server}) ways.push_back(std::make_unique<byte_proxy>(to->address()));
    } while (!other_order());
    client far{quick(far_server.uri())};
    client also_here{quick(ways[0]->uri())};
    client also_far{quick(ways[1]->uri())};
    auto const take_both_often = [&](client& here, client& there) {
        multi_lock both({here.get_lock(name), there.get_lock(name)}, multi_lock_order::by_name);
        for (int i = 0; i < 20; ++i) both.acquire({.wait = 60s, .owner = owner()}).release();
    };
    auto one = in_thread([&] { return outcome_of([&] { take_both_often(user, far); }); });
    auto another = in_thread([&] { return outcome_of([&] { take_both_often(also_here, also_far); }); });
    for (auto* const each : {&one, &another}) {
        auto const end = each->get();
        EXPECT_EQ(end.reason, errc{}) << end;
    }
    for (auto const* client_of : {&far, &also_here, &also_far}) expect_idle(*client_of);
}

} // namespace
} // namespace redlatch::test
