// What was posted for a client runs when the client is gone, where its last owner was nobody who closes.
#include "io/client_core.hpp"
#include "locking/recipes/recipes.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;

TEST(gone_client, does_not_look_for_watches_that_have_ended) {
    config settings;
    settings.address = "redis://127.0.0.1:1";
    settings.connect = connect_mode::lazily;
    settings.close_timeout = 1ms;
    auto core = client_core::open(settings, user_loop{[] { return false; }, {}});
    core->locked([](locking::lock_table& table, base::wake_list& woken) {
        auto const now = lease_clock::now();
        auto const hold = table.open(table.records.get("orders", locking::reentrant_recipe), 1);
        ASSERT_TRUE(table.take(hold, {0, 30s, true, false}, now, base::never));
        hold->watched = true;
        table.lose(hold, now, woken);
    });
    auto const loop = core->loop();
    std::weak_ptr<client_core> const seen = core;
    core.reset();
    EXPECT_TRUE(seen.expired());
    EXPECT_FALSE(loop->run_ready()) << "nothing is left";
}

} // namespace
} // namespace redlatch::io
