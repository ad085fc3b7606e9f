// What is read of a tenure without the mutex of the lock table, beside what is changed with it.
#include "locking/lock_record.hpp"
#include "locking/recipes/recipes.hpp"
#include "storm.hpp"

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

} // namespace
} // namespace redlatch::test
