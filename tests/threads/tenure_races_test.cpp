// What is read of a tenure without the mutex of the lock table, beside what is changed with it.
#include "locking/lock_record.hpp"
#include "locking/recipes/recipes.hpp"
#include "storm.hpp"

#include <array>
#include <mutex>

namespace redlatch::test {
namespace {

class sleeper final : public base::wakeable {
public:
    void wake() noexcept override {}
};

TEST(tenure_races, a_renewal_may_be_composed_while_another_operation_of_the_owner_begins_to_wait) {
    locking::record_settings const settings{.owner_prefix = "uuid:"};
    auto const record = std::make_shared<locking::lock_record>("orders", locking::reentrant_recipe, settings);
    for (int round = 0; round < 50; ++round) {
        locking::tenure held;
        held.record = record;
        held.serial = 7;
        std::mutex mutex;
        storm(2, [&](unsigned index, std::minstd_rand&) {
            if (index == 0) {
                EXPECT_EQ(held.owner_id().str(), "uuid:7");
                return;
            }
            std::lock_guard const guard(mutex);
            held.wait_for_operation(std::make_shared<sleeper>());
        });
    }
}

TEST(tenure_races, operations_of_one_owner_that_no_longer_wait_for_each_other_end_levels_and_add_some) {
    redis_server server;
    owner const mine;
    for (int round = 0; round < 10; ++round) {
        client user({.address = server.uri(), .timeout = 20ms, .close_timeout = 10s});
        auto lock = user.get_lock("orders");
        std::array<hold, 6> levels;
        for (auto& one : levels) one = lock.acquire({.owner = mine});
        server.pause(); // each release waits for the one before, and goes on without its answer when its time is over
        storm(8, [&](unsigned index, std::minstd_rand&) {
            std::error_code ec;
            if (index < levels.size())
                levels[index].release(ec);
            else
                (void)user.get_lock("orders").acquire({.wait = 200ms, .owner = mine}, ec);
        });
        server.resume();
        user.close();
        expect_clean(server);
    }
}

} // namespace
} // namespace redlatch::test
