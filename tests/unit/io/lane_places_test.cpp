// A lane whose server is found by a locator: here by the test, that plays the servers too.
#include "io/call_lane.hpp"
#include "io/scripted_server.hpp"

#include <atomic>
#include <condition_variable>
#include <gmock/gmock.h>
#include <mutex>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;

class told_places final : public locator {
public:
    explicit told_places(endpoint where) : where_(std::move(where)) {}

    bool locate(place& out, base::instant, errc& reason, std::string& problem) override {
        std::unique_lock held(mutex_);
        ++asked_;
        auto const where = where_;
        while (silent_) changed_.wait(held);
        if (where.port == 0) {
            reason = errc::disconnected;
            problem = "nobody knows where the server is";
            return false;
        }
        out.where = where;
        return true;
    }
    void doubt(endpoint const& where) override {
        std::lock_guard const held(mutex_);
        doubted_.push_back(where.port);
    }

    void say(endpoint const& where) {
        std::lock_guard const held(mutex_);
        where_ = where;
    }
    /// Until then whoever asks waits.
    void fall_silent(bool silent) {
        std::lock_guard const held(mutex_);
        silent_ = silent;
        changed_.notify_all();
    }
    int asked() {
        std::lock_guard const held(mutex_);
        return asked_;
    }
    std::vector<std::uint16_t> doubted() {
        std::lock_guard const held(mutex_);
        return doubted_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    endpoint where_;
    bool silent_ = false;
    int asked_ = 0;
    std::vector<std::uint16_t> doubted_{};
};

struct lane_with_places {
    scripted_server first;
    scripted_server second;
    std::shared_ptr<told_places> places = std::make_shared<told_places>(first.where());
    std::shared_ptr<reactor> loop = std::make_shared<reactor>();
    std::unique_ptr<call_lane> calls;

    lane_with_places() {
        lane::settings how;
        how.words.identify = false;
        how.ping_interval = 0ms;
        how.longest_pause = 10ms;
        how.places = places;
        calls = std::make_unique<call_lane>(loop, how, lane::hooks{});
    }
    ~lane_with_places() {
        places->fall_silent(false);
        calls->line().close();
        loop->stop();
    }

    static void greet(scripted_server& server) {
        server.accept();
        EXPECT_EQ(server.read_command(), "PING");
        server.say("+PONG\r\n");
    }
    void connect() {
        std::thread greeter([this] { greet(first); });
        errc reason{};
        std::string problem;
        auto until = lease_clock::now() + test::patience;
        EXPECT_TRUE(calls->line().connect_now(until, reason, problem)) << problem;
        greeter.join();
    }
    void begin() {
        calls->line().submit([] {}, false);
    }
    void move_to(endpoint const& there, bool news) {
        loop->post([this, there, news] { calls->line().move_to(there, "has moved", news); });
    }
    bool is_connected_to(scripted_server const& server) {
        return test::wait_until([&] { return calls->is_up() && calls->line().display() == server.where().display(); });
    }
};

TEST(lane_places, connects_to_where_the_server_is_said_to_be) {
    lane_with_places all;
    all.connect();
    EXPECT_TRUE(all.is_connected_to(all.first));
    EXPECT_EQ(all.places->asked(), 1);
    EXPECT_THAT(all.places->doubted(), ::testing::IsEmpty());
}

TEST(lane_places, says_why_it_is_not_known) {
    lane_with_places all;
    all.places->say({});
    errc reason{};
    std::string problem;
    auto until = lease_clock::now() + test::patience;
    EXPECT_FALSE(all.calls->line().connect_now(until, reason, problem));
    EXPECT_EQ(problem, "nobody knows where the server is");
    all.begin();
    EXPECT_TRUE(test::wait_until([&] { return all.calls->line().trouble() == "nobody knows where the server is"; }));
}

TEST(lane_places, doubts_a_place_where_nobody_answers_and_asks_again) {
    lane_with_places all;
    all.first.stop_listening();
    all.begin();
    ASSERT_TRUE(test::wait_until([&] { return all.places->doubted().size() >= 2; }));
    EXPECT_EQ(all.places->doubted().front(), all.first.where().port);
    all.places->say(all.second.where());
    lane_with_places::greet(all.second);
    EXPECT_TRUE(all.is_connected_to(all.second));
}

TEST(lane_places, leaves_a_server_that_is_not_the_one_any_more_and_no_other) {
    lane_with_places all;
    all.connect();
    all.move_to(all.first.where(), true);
    all.places->say(all.second.where());
    all.move_to(all.second.where(), false);
    EXPECT_EQ(all.first.read_command(), "end of stream");
    lane_with_places::greet(all.second);
    EXPECT_TRUE(all.is_connected_to(all.second));
    EXPECT_EQ(all.places->asked(), 2);
}

TEST(lane_places, gives_up_an_attempt_that_leads_elsewhere) {
    lane_with_places all;
    all.begin();
    all.first.accept(); // and says nothing
    all.places->say(all.second.where());
    all.move_to(all.second.where(), true);
    lane_with_places::greet(all.second);
    EXPECT_TRUE(all.is_connected_to(all.second));
}

TEST(lane_places, asks_again_where_the_news_comes_before_the_answer) {
    lane_with_places all;
    all.places->fall_silent(true);
    all.begin();
    ASSERT_TRUE(test::wait_until([&] { return all.places->asked() == 1; }));
    std::atomic<bool> told{false};
    all.move_to(all.second.where(), true);
    all.loop->post([&] { told = true; });
    ASSERT_TRUE(test::wait_until([&] { return told.load(); }));
    all.places->say(all.second.where());
    all.places->fall_silent(false); // what was asked for before the news is answered with the first server
    lane_with_places::greet(all.second);
    EXPECT_TRUE(all.is_connected_to(all.second));
}

} // namespace
} // namespace redlatch::io
