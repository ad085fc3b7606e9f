// Bad input: a clear error that names what it is about, nothing changed, nothing leaked. And odd input that is good.
#include "integration/fixture.hpp"
#include "support/both_faces.hpp"

#include <limits>

namespace redlatch::test {
namespace {

class bad_input_test : public with_server {
protected:
    client user{quick(server.uri())};
    client other{quick(server.uri())};
    void TearDown() override {
        expect_idle(user);
        expect_clean(server);
    }
};

struct odd_name {
    char const* what;
    std::string bytes;
};

std::vector<odd_name> odd_names() {
    std::string every_byte;
    for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
    return {
        {"one_byte", "x"},
        {"sixty_four_kib", std::string(65536, 'n')},
        {"every_byte", every_byte},
        {"only_nul", std::string(1, '\0')},
        {"line_feeds", "a\r\n*1\r\n$8\r\nFLUSHALL\r\n"},
        {"open_brace", "a{b"},
        {"closed_brace", "a}b"},
        {"reversed_braces", "}a{"},
        {"nested_braces", "{{a}}"},
        {"empty_braces", "{}"},
        {"hash_tag", "{test}:abc:key"},
        {"spaces_and_quotes", " a \"b\" 'c' "},
        {"not_utf8", "\xff\xfe\x80"},
        {"percent", "%s%n%x"},
        {"glob", "*?[a-z]\\"},
    };
}

class odd_name_test : public bad_input_test, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(odd_name_test, is_a_name_as_any_other) {
    std::string const odd = odd_names().at(GetParam()).bytes;
    auto lock = user.get_lock(odd);
    EXPECT_EQ(lock.name(), odd);
    hold outer = lock.acquire({.wait = 5s});
    hold inner = lock.acquire({.wait = 5s});
    EXPECT_EQ(holders(server, odd)[outer.owner_id()], "2");
    EXPECT_FALSE(other.get_lock(odd).try_acquire());
    EXPECT_TRUE(lock.inspect().held);
    inner.release();

    // The channel is the one that Java would use: a message there wakes.
    auto waiter = in_thread([&] { other.get_lock(odd).acquire({.wait = 20s}).release(); });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(odd); }));
    outer.release();
    waiter.get();
    expect_idle(other);
}

INSTANTIATE_TEST_SUITE_P(bytes, odd_name_test, ::testing::Range<std::size_t>(0, 15),
                         [](auto const& which) { return odd_names().at(which.param).what; });

TEST_F(bad_input_test, names_that_are_empty_or_too_long_are_refused) {
    auto const empty = outcome_of([&] { (void)user.get_lock(""); });
    EXPECT_EQ(empty.reason, errc::bad_name) << empty;
    auto const large = outcome_of([&] { (void)user.get_lock(std::string(65537, 'n')); });
    EXPECT_EQ(large.reason, errc::bad_name) << large;
    EXPECT_LT(large.message.size(), 1000U) << "the name is not shown whole";
    EXPECT_NE(large.message.find("65537"), std::string::npos) << large;
}

struct odd_options {
    char const* what;
    acquire_options options;
};

std::vector<odd_options> refused_options() {
    return {
        {"zero_lease", {.lease = 0ms}},
        {"negative_lease", {.lease = -1ms}},
        {"least_lease", {.lease = duration::min()}},
        {"negative_wait", {.wait = -1ms}},
        {"least_wait", {.wait = duration::min()}},
        {"zero_max_hold", {.max_hold = 0ms}},
        {"negative_max_hold", {.max_hold = -5s}},
        {"least_max_hold", {.max_hold = duration::min()}},
        {"lease_and_max_hold", {.lease = 5s, .max_hold = 1s}},
    };
}

class refused_options_test : public bad_input_test, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(refused_options_test, are_refused_by_every_form_and_change_nothing) {
    auto const options = refused_options().at(GetParam()).options;
    auto lock = user.get_lock(name);
    auto const sent = user.stats().commands;
    auto const thrown = outcome_of([&] { (void)lock.acquire(options); });
    EXPECT_EQ(thrown.reason, errc::invalid_argument) << thrown;
    EXPECT_NE(thrown.message.find(name), std::string::npos) << thrown;
    std::error_code code;
    EXPECT_FALSE(lock.acquire(options, code));
    EXPECT_EQ(code, errc::invalid_argument);
    EXPECT_FALSE(lock.try_acquire(options, code));
    EXPECT_EQ(code, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { (void)lock.try_acquire(options); }).reason, errc::invalid_argument);
    EXPECT_EQ(user.stats().commands, sent);
}

INSTANTIATE_TEST_SUITE_P(with, refused_options_test, ::testing::Range<std::size_t>(0, 9),
                         [](auto const& which) { return refused_options().at(which.param).what; });

TEST_F(bad_input_test, what_no_clock_can_count_is_for_ever) {
    auto lock = user.get_lock(name);
    constexpr auto most = std::chrono::hours::max();
    for (acquire_options const& options :
         {acquire_options{.wait = most, .lease = most}, acquire_options{.wait = duration::max(), .max_hold = most}}) {
        hold const mine = lock.acquire(options);
        EXPECT_EQ(mine.status(), hold_status::held);
        EXPECT_GT(mine.valid_until(), lease_clock::now());
        EXPECT_FALSE(other.get_lock(name).try_acquire());
    }
    hold mine = other.get_lock(name).acquire();
    auto waiter = in_thread([&] {
        auto const got = lock.try_acquire({.wait = duration::max()});
        EXPECT_TRUE(got.has_value());
    });
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    mine.release();
    waiter.get();
}

TEST_F(bad_input_test, the_longest_waits_of_the_standard_guards_are_waits_for_ever) {
    auto lock = user.get_lock(name);
    std::future<void> for_wait;
    std::future<void> until_wait;
    hold mine = other.get_lock(name).acquire();
    for_wait = in_thread([&] {
        EXPECT_TRUE(lock.try_lock_for(std::chrono::hours::max()));
        lock.unlock();
    });
    until_wait = in_thread([&] {
        EXPECT_TRUE(lock.try_lock_until(std::chrono::steady_clock::time_point::max()));
        lock.unlock();
    });
    ASSERT_TRUE(wait_until([&] { return user.stats().waiters == 2 && somebody_waits(name); }));
    EXPECT_TRUE(stays([&] { return user.stats().waiters == 2; }, 300ms));
    mine.release();
    for_wait.get();
    until_wait.get();
}

TEST_F(bad_input_test, a_lock_that_was_moved_from_says_so) {
    redlatch::reentrant_lock from = user.get_lock(name);
    redlatch::reentrant_lock to = std::move(from);
    // What is left is the subject. NOLINTBEGIN(bugprone-use-after-move)
    auto const refused = [](auto&& call) {
        auto const thrown = outcome_of(call);
        EXPECT_TRUE(thrown.reason == errc{} || thrown.message.find("moved") != std::string::npos) << thrown;
        return thrown.reason;
    };
    EXPECT_EQ(refused([&] { (void)from.acquire(); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { (void)from.try_acquire(); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { from.lock(); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { (void)from.try_lock_for(1s); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { from.unlock(); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { (void)from.is_locked(); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { (void)from.force_unlock(); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { from.async_acquire({}, {}, [](std::error_code, auto&&) {}); }), errc::invalid_argument);
    EXPECT_EQ(refused([&] { from.async_force_unlock({}, [](std::error_code, bool) {}); }), errc::invalid_argument);
    std::error_code code;
    EXPECT_FALSE(from.acquire({}, code));
    EXPECT_EQ(code, errc::invalid_argument);
    EXPECT_EQ(from.name(), "");
    EXPECT_FALSE(from.is_held());
    EXPECT_EQ(from.hold_count(), 0);
    EXPECT_FALSE(from.current_hold());
    // NOLINTEND(bugprone-use-after-move)
    EXPECT_TRUE(to.acquire());
}

TEST_F(bad_input_test, a_client_that_was_moved_from_says_so) {
    redlatch::client from(quick(server.uri()));
    redlatch::client const to = std::move(from);
    // What is left is the subject. NOLINTBEGIN(bugprone-use-after-move)
    EXPECT_EQ(outcome_of([&] { (void)from.get_lock(name); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { (void)from.ping(); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { (void)from.list_locks(); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { from.start(); }).reason, errc::invalid_argument);
    EXPECT_EQ(outcome_of([&] { from.on_event({}); }).reason, errc::invalid_argument);
    EXPECT_EQ(from.id(), "");
    EXPECT_EQ(from.stats().commands, 0U);
    from.close();
    // NOLINTEND(bugprone-use-after-move)
    EXPECT_NE(to.id(), "");
}

TEST_F(bad_input_test, the_shortest_times_are_taken) {
    auto lock = user.get_lock(name);
    std::error_code code;
    // A lease of a millisecond is over before anybody can use it: granted and lost, or not granted, but never for long.
    (void)lock.try_acquire({.lease = 1ms}, code);
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
    // No server answers within a nanosecond: granted, or an error that says so.
    auto const ended = outcome_of([&] {
        if (lock.try_lock_for(1ns)) lock.unlock();
    });
    EXPECT_TRUE(ended.reason == errc{} || ended.reason == errc::disconnected) << ended;
    EXPECT_TRUE(wait_until([&] { return !exists(name); }));
}

struct bad_config {
    char const* what;
    std::function<void(config&)> spoil;
    char const* field;
};

std::vector<bad_config> bad_configs() {
    return {
        {"scheme", [](config& c) { c.address = "http://127.0.0.1"; }, "http"},
        {"port", [](config& c) { c.address = "redis://127.0.0.1:99999"; }, "99999"},
        {"negative_database", [](config& c) { c.database = -1; }, "database"},
        {"zero_timeout", [](config& c) { c.timeout = 0ms; }, "timeout"},
        {"negative_connect_timeout", [](config& c) { c.connect_timeout = -1ms; }, "connect_timeout"},
        {"short_watchdog", [](config& c) { c.lock_watchdog_timeout = 1ms; }, "lock_watchdog_timeout"},
        {"overflowing_watchdog", [](config& c) { c.lock_watchdog_timeout = duration::max(); }, "lock_watchdog_timeout"},
        {"negative_watched_holds", [](config& c) { c.watched_holds = -1; }, "watched_holds"},
        {"zero_batch", [](config& c) { c.renewal_batch = 0; }, "renewal_batch"},
        {"negative_attempts", [](config& c) { c.retry_attempts = -1; }, "retry_attempts"},
        {"negative_margin", [](config& c) { c.validity_margin = -1ms; }, "validity_margin"},
        {"negative_outage", [](config& c) { c.outage_limit = -1ms; }, "outage_limit"},
        {"name_with_space", [](config& c) { c.client_name = "two words"; }, "client_name"},
    };
}

class bad_config_test : public bad_input_test, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(bad_config_test, is_refused_with_a_message_that_names_the_field) {
    auto const bad = bad_configs().at(GetParam());
    config settings = quick(server.uri());
    bad.spoil(settings);
    auto const refused = outcome_of([&] { client one(settings); });
    EXPECT_EQ(refused.reason, errc::bad_config) << refused;
    EXPECT_NE(refused.message.find(bad.field), std::string::npos) << refused;
}

INSTANTIATE_TEST_SUITE_P(with, bad_config_test, ::testing::Range<std::size_t>(0, 13),
                         [](auto const& which) { return bad_configs().at(which.param).what; });

TEST_F(bad_input_test, nobody_listening_is_a_clear_error) {
    reserved_port const nobody;
    config settings = quick("redis://127.0.0.1:" + std::to_string(nobody.number()));
    settings.retry_attempts = 1;
    auto const start = test_clock::now();
    auto const refused = outcome_of([&] { client one(settings); });
    EXPECT_EQ(refused.reason, errc::disconnected) << refused;
    EXPECT_NE(refused.message.find("127.0.0.1"), std::string::npos) << refused;
    EXPECT_NE(refused.message.find("(2 attempts)"), std::string::npos) << "one, and one more: " << refused;
    EXPECT_LT(since(start), 2s);
    EXPECT_EQ(outcome_of([&] { client one(quick("unix:///nowhere/at-all.sock")); }).reason, errc::disconnected);
}

} // namespace
} // namespace redlatch::test
