// What the types promise to the compiler. Most of it is checked before the program runs.
#include <redlatch/redlatch.hpp>

#include <chrono>
#include <concepts>
#include <gtest/gtest.h>
#include <mutex>
#include <type_traits>

namespace {

using namespace std::chrono_literals;

// The named requirements of the standard ([thread.req.lockable]); std::unique_lock and friends ask for no more.
template <class T>
concept basic_lockable = requires(T lock) {
    lock.lock();
    lock.unlock();
};
template <class T>
concept lockable = basic_lockable<T> && requires(T lock) {
    { lock.try_lock() } -> std::same_as<bool>;
};
template <class T>
concept timed_lockable = lockable<T> && requires(T lock, std::chrono::steady_clock::time_point steady,
                                                 std::chrono::system_clock::time_point wall) {
    { lock.try_lock_for(1ns) } -> std::same_as<bool>;
    { lock.try_lock_for(1.5h) } -> std::same_as<bool>;
    { lock.try_lock_until(steady) } -> std::same_as<bool>;
    { lock.try_lock_until(wall) } -> std::same_as<bool>;
};
static_assert(timed_lockable<redlatch::reentrant_lock>);

// The guards compile, several locks at once too.
[[maybe_unused]] void guards(redlatch::reentrant_lock& orders, redlatch::reentrant_lock& invoices) {
    { std::lock_guard const guard(orders); }
    { std::scoped_lock const guard(orders, invoices); }
    { std::unique_lock const guard(orders, 500ms); }
    { std::unique_lock const guard(orders, std::chrono::steady_clock::now() + 1s); }
    { std::unique_lock const guard(orders, std::try_to_lock); }
}

static_assert(std::is_copy_constructible_v<redlatch::reentrant_lock>);
static_assert(!std::is_default_constructible_v<redlatch::reentrant_lock>, "locks come from a client");

static_assert(std::is_nothrow_default_constructible_v<redlatch::hold>);
static_assert(std::is_nothrow_move_constructible_v<redlatch::hold>);
static_assert(std::is_nothrow_move_assignable_v<redlatch::hold>);
static_assert(std::is_nothrow_destructible_v<redlatch::hold>);
static_assert(!std::is_copy_constructible_v<redlatch::hold> && !std::is_copy_assignable_v<redlatch::hold>);
static_assert(!std::is_convertible_v<redlatch::hold, bool>, "only `if (hold)`, never `int n = hold`");
static_assert(std::is_copy_constructible_v<redlatch::hold_view>);
static_assert(!std::is_constructible_v<redlatch::hold, redlatch::hold_view>, "a view never becomes a hold");

static_assert(std::is_copy_constructible_v<redlatch::client> && std::is_copy_assignable_v<redlatch::client>);
static_assert(std::copyable<redlatch::owner> && std::totally_ordered<redlatch::owner>);
static_assert(std::is_error_code_enum_v<redlatch::errc>);
static_assert(std::is_base_of_v<std::system_error, redlatch::error>);
static_assert(std::chrono::is_clock_v<redlatch::lease_clock>);
static_assert(std::is_aggregate_v<redlatch::config> && std::is_aggregate_v<redlatch::acquire_options>);
static_assert(std::is_aggregate_v<redlatch::lock_options> && std::is_aggregate_v<redlatch::replica_policy>);

static_assert(REDLATCH_VERSION_MAJOR * 10000 + REDLATCH_VERSION_MINOR * 100 + REDLATCH_VERSION_PATCH
                  == REDLATCH_TEST_VERSION_NUMBER,
              "version.hpp and CMakeLists.txt differ");

// Compiled with -Wextra as users do: an option that is left out must not warn.
TEST(api, options_may_be_left_out) {
    redlatch::acquire_options const patient{.wait = 2s};
    redlatch::acquire_options const fixed{.lease = 10s, .stop = {}};
    redlatch::config const other{.address = "redis://localhost", .timeout = 1s};
    EXPECT_FALSE(patient.lease.has_value());
    EXPECT_FALSE(fixed.wait.has_value());
    EXPECT_FALSE(patient.owner) << "the thread that calls";
    EXPECT_EQ(other.lock_watchdog_timeout, 30s);
}

TEST(api, version_is_that_of_the_build) {
    EXPECT_STREQ(REDLATCH_VERSION_STRING, REDLATCH_TEST_VERSION);
}

TEST(api, error_codes_compare_with_their_enumerators) {
    std::error_code const code = redlatch::errc::timed_out;
    EXPECT_TRUE(code == redlatch::errc::timed_out);
    EXPECT_TRUE(code != redlatch::errc::busy);
    EXPECT_EQ(&code.category(), &redlatch::error_category());
    EXPECT_FALSE(code.message().empty());
}

TEST(api, error_codes_equal_those_of_the_standard_where_it_has_them) {
    using redlatch::errc;
    auto const equals = [](errc which, std::errc other) { return make_error_code(which) == other; };
    EXPECT_TRUE(equals(errc::busy, std::errc::device_or_resource_busy));
    EXPECT_TRUE(equals(errc::busy, std::errc::resource_unavailable_try_again));
    EXPECT_TRUE(equals(errc::timed_out, std::errc::timed_out));
    EXPECT_TRUE(equals(errc::cancelled, std::errc::operation_canceled));
    EXPECT_TRUE(equals(errc::not_owner, std::errc::operation_not_permitted));
    EXPECT_TRUE(equals(errc::disconnected, std::errc::not_connected));
    EXPECT_TRUE(equals(errc::server_refused, std::errc::permission_denied));
    EXPECT_TRUE(equals(errc::bad_reply, std::errc::protocol_error));
    for (auto const which : {errc::bad_config, errc::bad_name, errc::invalid_argument})
        EXPECT_TRUE(equals(which, std::errc::invalid_argument));
    EXPECT_TRUE(equals(errc::wrong_thread, std::errc::resource_deadlock_would_occur));
    EXPECT_FALSE(equals(errc::timed_out, std::errc::resource_unavailable_try_again));
    EXPECT_FALSE(equals(errc::lease_lost, std::errc::timed_out));
}

TEST(api, states_and_events_have_names) {
    using redlatch::event;
    using redlatch::hold_status;
    EXPECT_EQ(to_string(hold_status::none), "none");
    EXPECT_EQ(to_string(hold_status::held), "held");
    EXPECT_EQ(to_string(hold_status::suspect), "suspect");
    EXPECT_EQ(to_string(hold_status::lost), "lost");
    EXPECT_EQ(to_string(hold_status::released), "released");
    EXPECT_EQ(to_string(event::kind::hold_suspect), "hold_suspect");
    EXPECT_EQ(to_string(event::kind::hold_recovered), "hold_recovered");
    EXPECT_EQ(to_string(event::kind::hold_lost), "hold_lost");
    EXPECT_EQ(to_string(event::kind::release_failed), "release_failed");
    EXPECT_EQ(to_string(event::kind::disconnected), "disconnected");
    EXPECT_EQ(to_string(event::kind::reconnected), "reconnected");
    EXPECT_EQ(to_string(event::kind::thread_exited_holding), "thread_exited_holding");
    EXPECT_EQ(to_string(event::kind::too_few_replicas), "too_few_replicas");
    EXPECT_EQ(to_string(static_cast<hold_status>(77)), "unknown");
}

static_assert(redlatch::time_span(std::chrono::hours::max()) == redlatch::duration::max());
static_assert(redlatch::time_span(std::chrono::hours::min()) == redlatch::duration::min());
static_assert(redlatch::time_span(5s) == 5000ms);
static_assert(!std::is_convertible_v<std::chrono::microseconds, redlatch::time_span>, "nothing is rounded unasked");
static_assert(!std::is_convertible_v<int, redlatch::time_span>);

TEST(api, an_error_crosses_the_border_of_the_shared_library) {
    try {
        (void)redlatch::config::from_uri("no uri");
        FAIL() << "from_uri accepted what is no URI";
    } catch (redlatch::error const& problem) {
        EXPECT_EQ(problem.reason(), redlatch::errc::bad_config) << problem.what();
    }
}

TEST(api, an_empty_hold_holds_nothing) {
    redlatch::hold hold;
    EXPECT_FALSE(hold);
    EXPECT_EQ(hold.status(), redlatch::hold_status::none);
    EXPECT_NO_THROW(hold.release());
    EXPECT_THROW(hold.ensure_held(), redlatch::error);
}

} // namespace
