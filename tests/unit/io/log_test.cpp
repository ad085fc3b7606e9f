#include "io/log.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::io {
namespace {

using ::testing::ElementsAre;

class log_sink_test : public ::testing::Test {
protected:
    ~log_sink_test() override { set_log_sink({}); }

    void listen(log_level least) {
        set_log_sink([this](log_level, std::string_view line) { lines.emplace_back(line); }, least);
    }

    std::vector<std::string> lines;
};

TEST_F(log_sink_test, hears_what_is_at_least_as_grave_as_asked) {
    listen(log_level::warning);
    for (auto const level : {log_level::debug, log_level::info, log_level::warning, log_level::error})
        log(level, std::to_string(static_cast<int>(level)));
    EXPECT_THAT(lines, ElementsAre("2", "3"));
    EXPECT_FALSE(log_enabled(log_level::info));
    EXPECT_TRUE(log_enabled(log_level::warning));
}

TEST_F(log_sink_test, is_silent_when_it_is_empty) {
    listen(log_level::debug);
    set_log_sink({}, log_level::debug);
    EXPECT_FALSE(log_enabled(log_level::error));
    log(log_level::error, "lost");
    EXPECT_TRUE(lines.empty());
}

TEST_F(log_sink_test, may_throw) {
    set_log_sink([](log_level, std::string_view) { throw std::runtime_error("disk full"); });
    EXPECT_NO_THROW(log(log_level::error, "line"));
}

TEST_F(log_sink_test, may_replace_itself) {
    set_log_sink([this](log_level, std::string_view) { listen(log_level::info); });
    log(log_level::info, "first");
    log(log_level::info, "second");
    EXPECT_THAT(lines, ElementsAre("second"));
}

TEST_F(log_sink_test, may_be_replaced_while_other_threads_log) {
    std::atomic<bool> done{false};
    std::atomic<int> heard{0};
    std::vector<std::jthread> writers;
    for (int count = 0; count < 3; ++count)
        writers.emplace_back([&] {
            while (!done) log(log_level::info, "line");
        });
    auto alive = std::make_shared<int>(0);
    std::weak_ptr<int> const watch = alive;
    set_log_sink([&heard, alive](log_level, std::string_view) { ++heard; });
    alive.reset();
    while (heard < 100) std::this_thread::yield();
    for (int count = 0; count < 1000; ++count) set_log_sink([&heard](log_level, std::string_view) { ++heard; });
    done = true;
    writers.clear();
    EXPECT_TRUE(watch.expired()) << "a replaced sink must be destroyed";
}

} // namespace
} // namespace redlatch::io
