// What a hold does that nothing was acquired for.
#include <redlatch/hold.hpp>

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <system_error>
#include <thread>

namespace redlatch {
namespace {

using namespace std::chrono_literals;

TEST(an_empty_hold, that_is_released_tells_its_handler_where_the_executor_runs_it) {
    std::promise<std::error_code> told;
    std::promise<std::function<void()>> posted;
    hold none;
    none.async_release([&](std::function<void()> work) { posted.set_value(std::move(work)); },
                       [&](std::error_code ec) { told.set_value(ec); });
    auto work = posted.get_future();
    ASSERT_EQ(work.wait_for(20s), std::future_status::ready);
    auto code = told.get_future();
    EXPECT_EQ(code.wait_for(0s), std::future_status::timeout);
    work.get()();
    ASSERT_EQ(code.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(code.get(), std::error_code());
}

TEST(an_empty_hold, that_is_released_tells_its_handler_on_another_thread_where_there_is_no_executor) {
    std::promise<std::thread::id> told;
    hold none;
    none.async_release({}, [&](std::error_code ec) {
        EXPECT_EQ(ec, std::error_code());
        told.set_value(std::this_thread::get_id());
    });
    auto where = told.get_future();
    ASSERT_EQ(where.wait_for(20s), std::future_status::ready);
    EXPECT_NE(where.get(), std::this_thread::get_id());
}

} // namespace
} // namespace redlatch
