#include "io/notifier.hpp"
#include "support/wait_until.hpp"

#include <redlatch/log.hpp>

#include <atomic>
#include <csignal>
#include <future>
#include <gmock/gmock.h>
#include <pthread.h>
#include <string_view>

namespace redlatch::io {
namespace {

using ::testing::ElementsAre;

TEST(notifier, runs_callbacks_in_order_on_a_thread_of_its_own) {
    notifier own;
    EXPECT_FALSE(own.on_thread());
    std::vector<int> order;
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(own.post([&, i] {
            EXPECT_TRUE(own.on_thread());
            order.push_back(i);
        }));
    own.stop();
    EXPECT_FALSE(own.on_thread());
    EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(notifier, takes_more_while_a_callback_is_slow) {
    notifier own;
    std::promise<void> go;
    std::vector<int> order;
    own.post([&, wait = go.get_future().share()] {
        wait.wait();
        order.push_back(0);
    });
    for (int i = 1; i < 4; ++i) own.post([&, i] { order.push_back(i); });
    go.set_value();
    own.stop();
    EXPECT_THAT(order, ElementsAre(0, 1, 2, 3)) << "stopping runs what is queued";
}

TEST(notifier, says_nothing_of_a_thread_that_could_be_started) {
    std::atomic<int> lines{0};
    set_log_sink([&](log_level, std::string_view) { ++lines; }, log_level::error);
    {
        notifier own;
        std::promise<void> go;
        own.post([wait = go.get_future().share()] { wait.wait(); });
        own.post([] {});
        EXPECT_FALSE(own.waits_for_its_thread());
        go.set_value();
    }
    set_log_sink({});
    EXPECT_EQ(lines, 0);
}

TEST(notifier, says_that_a_callback_after_the_end_will_not_run) {
    notifier own;
    own.stop();
    bool ran = false;
    EXPECT_FALSE(own.post([&] { ran = true; }));
    own.stop();
    EXPECT_FALSE(ran);
}

TEST(notifier, can_be_stopped_by_a_callback_and_runs_what_is_queued_all_the_same) {
    std::promise<void> done;
    {
        notifier own;
        std::promise<void> go;
        own.post([&, wait = go.get_future().share()] {
            wait.wait();
            own.stop();
            EXPECT_FALSE(own.post([] { ADD_FAILURE(); }));
        });
        own.post([&] { done.set_value(); });
        go.set_value();
        ASSERT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
    }
}

TEST(notifier, can_be_destroyed_by_its_own_callback) {
    auto own = std::make_unique<notifier>();
    auto& same = *own;
    std::promise<void> posted;
    std::promise<void> done;
    same.post(
        [&, wait = posted.get_future().share(), own = std::make_shared<std::unique_ptr<notifier>>(std::move(own))] {
            wait.wait();
            own->reset();
            done.set_value();
        });
    posted.set_value();
    EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

TEST(notifier, leaves_signals_to_the_threads_of_the_program) {
    notifier own;
    sigset_t blocked{};
    own.post([&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
    own.stop();
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1})
        EXPECT_EQ(::sigismember(&blocked, number), 1) << number;
}

} // namespace
} // namespace redlatch::io
