#include "io/operation.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;

/// Waits for its end, and for nothing else.
class sleeping final : public operation {
public:
    explicit sleeping(base::instant until) noexcept : until_(until) {}
    bool step() override { return lease_clock::now() >= until_ || suspend(nullptr, until_); }
    bool ready() const override { return false; }

private:
    base::instant until_;
};

class task final : public async_task {
public:
    task(std::shared_ptr<reactor> loop, base::instant until) : async_task(std::move(loop)), what_(until) {}

private:
    operation& what() noexcept override { return what_; }
    void finished() noexcept override {}
    void disowned() noexcept override {}

    sleeping what_;
};

TEST(async_task, has_an_alarm_set_at_the_last_look_before_its_time_is_over) {
    auto const loop = std::make_shared<reactor>(reactor::driver::user_loop);
    auto const end = lease_clock::now() + 1h;
    auto const one = std::make_shared<task>(loop, end);
    one->prepare({});
    one->open();
    one->wake();
    loop->run_ready(); // its first step
    EXPECT_FALSE(one->needs_alarm(end - 1h)) << "most tasks end long before";
    EXPECT_TRUE(one->needs_alarm(end - async_task::look)) << "the next look would come too late";
    EXPECT_TRUE(one->needs_alarm(end - async_task::look - 100ms)) << "looks may be late themselves";
    one->set_alarm();
    EXPECT_FALSE(one->needs_alarm(end - async_task::look)) << "it has one";
    loop->stop();
}

} // namespace
} // namespace redlatch::io
