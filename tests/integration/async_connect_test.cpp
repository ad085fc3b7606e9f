// client::async_connect and start_connect: a client that is made without blocking whoever asks for it.
#include "integration/fixture.hpp"
#include "support/redis_cluster.hpp"
#include "support/reserved_port.hpp"
#include "support/sentinel_set.hpp"

#include <gmock/gmock.h>
#include <thread>

namespace redlatch::test {
namespace {

using ::testing::HasSubstr;

struct end_of_connecting {
    std::error_code code{};
    std::string message{};
    std::optional<client> made{};
    std::thread::id told_on{};
};

/// Keeps what it is told.
class kept_end final : public completion<std::optional<client>> {
public:
    explicit kept_end(std::promise<end_of_connecting>& end, canceller* cancel = nullptr) : end_(end), cancel_(cancel) {}

    void begins(canceller const& cancel) noexcept override {
        if (cancel_ != nullptr) *cancel_ = cancel;
    }
    void complete(redlatch::outcome const& how, std::optional<client> made) noexcept override {
        end_.set_value({how.code(), how.failed() ? how.message() : "", std::move(made), std::this_thread::get_id()});
        delete this;
    }
    void discard() noexcept override { delete this; }

private:
    ~kept_end() = default;
    std::promise<end_of_connecting>& end_;
    canceller* cancel_;
};

end_of_connecting connect(config const& settings) {
    std::promise<end_of_connecting> end;
    completion_ptr<std::optional<client>> done(new kept_end(end));
    EXPECT_FALSE(client::start_connect(settings, done));
    return end.get_future().get();
}

class async_connect_test : public with_server {};

TEST_F(async_connect_test, brings_a_client_that_works) {
    auto end = connect(quick(server.uri()));
    EXPECT_EQ(end.code, std::error_code()) << end.message;
    ASSERT_TRUE(end.made);
    EXPECT_NE(end.told_on, std::this_thread::get_id());
    EXPECT_TRUE(end.made->get_lock(name).try_acquire());
}

TEST_F(async_connect_test, tells_what_the_constructor_would_throw) {
    server.stop();
    auto settings = quick(server.uri());
    settings.retry_attempts = 1;
    auto const away = connect(settings);
    EXPECT_EQ(away.code, errc::disconnected);
    EXPECT_THAT(away.message, HasSubstr("2 attempts"));
    EXPECT_FALSE(away.made);
    settings.timeout = 0ms;
    auto const wrong = connect(settings);
    EXPECT_EQ(wrong.code, errc::bad_config);
    EXPECT_THAT(wrong.message, HasSubstr("timeout"));
}

TEST_F(async_connect_test, a_handler_runs_on_its_executor) {
    std::promise<std::function<void()>> handed;
    std::promise<std::pair<std::error_code, bool>> end;
    client::async_connect(
        quick(server.uri()), [&](std::function<void()> task) { handed.set_value(std::move(task)); },
        [&](std::error_code code, std::optional<client> made) {
            end.set_value({code, made.has_value()});
        });
    auto const task = handed.get_future().get();
    auto const told = end.get_future();
    EXPECT_EQ(told.wait_for(0s), std::future_status::timeout);
    task();
    EXPECT_EQ(told.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(outcome_of([&] { client::async_connect(quick(server.uri()), {}, {}); }).reason, errc::invalid_argument);
}

TEST_F(async_connect_test, cancelling_ends_it_before_the_server_has_answered) {
    server.pause(); // the connection is made, and nothing is answered
    auto settings = quick(server.uri());
    settings.connect_timeout = 600s;
    std::promise<end_of_connecting> end;
    canceller cancel;
    completion_ptr<std::optional<client>> done(new kept_end(end, &cancel));
    ASSERT_FALSE(client::start_connect(settings, done));
    cancel.cancel();
    auto const told = end.get_future().get();
    EXPECT_EQ(told.code, errc::cancelled);
    EXPECT_FALSE(told.made);
    cancel.cancel(); // it has ended
    server.resume();
    EXPECT_TRUE(wait_until([&] {
        return server.run("CLIENT", "LIST", "TYPE", "normal").text.find("redlatch:") == std::string::npos;
    })) << "its connection is closed";
}

// --- several servers

/// For nodes that have to be found before the client is there.
config unhurried(std::string address) {
    auto settings = quick(std::move(address));
    settings.timeout = 10s;
    settings.connect_timeout = 60s;
    return settings;
}

/// Whom nobody answers; `again` has them answer when it was cancelled.
void expect_cancelled(config const& settings, std::function<void()> const& again) {
    std::promise<end_of_connecting> end;
    canceller cancel;
    completion_ptr<std::optional<client>> done(new kept_end(end, &cancel));
    ASSERT_FALSE(client::start_connect(settings, done));
    auto told = end.get_future();
    EXPECT_FALSE(is_ready(told));
    cancel.cancel();
    auto const ended = told.get();
    EXPECT_EQ(ended.code, errc::cancelled) << ended.message;
    EXPECT_FALSE(ended.made);
    again();
}

TEST(async_connect_to_a_cluster, brings_a_client_that_knows_all_nodes) {
    redis_cluster cluster;
    auto end = connect(unhurried("redis-cluster://127.0.0.1:" + std::to_string(cluster.node(2).address().port)));
    EXPECT_EQ(end.code, std::error_code()) << end.message;
    ASSERT_TRUE(end.made);
    EXPECT_NE(end.told_on, std::this_thread::get_id());
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        auto const name = cluster.name_on(i);
        auto const held = end.made->get_lock(name).acquire({.wait = patience, .owner = owner()});
        EXPECT_EQ(cluster.node(i).run("EXISTS", name).integer, 1);
    }
}

TEST(async_connect_to_a_cluster, tells_which_nodes_were_asked_in_vain) {
    reserved_port const nobody;
    reserved_port const nobody_either;
    auto settings = quick("redis-cluster://127.0.0.1:" + std::to_string(nobody.number())
                          + ",127.0.0.1:" + std::to_string(nobody_either.number()));
    settings.retry_attempts = 1;
    auto const away = connect(settings);
    EXPECT_EQ(away.code, errc::disconnected);
    EXPECT_FALSE(away.made);
    EXPECT_THAT(away.message, HasSubstr(std::to_string(nobody.number())));
    EXPECT_THAT(away.message, HasSubstr(std::to_string(nobody_either.number())));
}

TEST(async_connect_to_a_cluster, is_cancelled_before_a_node_has_answered) {
    redis_cluster cluster;
    for (std::size_t i = 0; i < cluster.size(); ++i) cluster.node(i).pause();
    auto settings = unhurried(cluster.uri());
    settings.connect_timeout = 600s;
    expect_cancelled(settings, [&] {
        for (std::size_t i = 0; i < cluster.size(); ++i) cluster.node(i).resume();
    });
    for (std::size_t i = 0; i < cluster.size(); ++i)
        EXPECT_TRUE(wait_until([&] {
            return cluster.node(i).run("CLIENT", "LIST", "TYPE", "normal").text.find("redlatch:") == std::string::npos;
        })) << "its connection is closed";
}

TEST(async_connect_behind_sentinels, brings_a_client_of_the_master_that_they_name) {
    sentinel_set set;
    auto const master = set.fail_over();
    auto end = connect(unhurried(set.uri()));
    EXPECT_EQ(end.code, std::error_code()) << end.message;
    ASSERT_TRUE(end.made);
    EXPECT_NE(end.told_on, std::this_thread::get_id());
    auto const name = unique_name();
    auto const held = end.made->get_lock(name).acquire({.wait = patience, .owner = owner()});
    EXPECT_EQ(set.servers()[master].run("EXISTS", name).integer, 1);
}

TEST(async_connect_behind_sentinels, tells_that_they_watch_no_such_master) {
    sentinel_set const set;
    auto settings = unhurried(set.uri());
    settings.address.replace(settings.address.rfind(sentinel_set::master_name), std::string::npos, "nobody");
    settings.retry_attempts = 0;
    auto const unknown = connect(settings);
    EXPECT_TRUE(unknown.code);
    EXPECT_FALSE(unknown.made);
    EXPECT_THAT(unknown.message, HasSubstr("nobody"));
    EXPECT_EQ(outcome_of([&] { client user(settings); }).message, unknown.message) << "as the constructor says it";
}

TEST(async_connect_behind_sentinels, is_cancelled_before_one_has_answered) {
    sentinel_set const set;
    for (std::size_t i = 0; i < 3; ++i) set.pause_sentinel(i);
    auto settings = unhurried(set.uri());
    settings.connect_timeout = 600s;
    expect_cancelled(settings, [&] {
        for (std::size_t i = 0; i < 3; ++i) set.resume_sentinel(i);
    });
    client(unhurried(set.uri())).get_lock(unique_name()).acquire({.wait = patience}).release();
}

} // namespace
} // namespace redlatch::test
