// A client that is run by a loop of the user's, without Asio: a descriptor, a function and completions.
#include "integration/fixture.hpp"
#include "locking/script.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <thread>

namespace redlatch::test {
namespace {

/// The names of this process's threads.
std::vector<std::string> threads() {
    std::vector<std::string> names;
    for (auto const& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "comm");
        std::string name;
        if (std::getline(file, name)) names.push_back(name);
    }
    return names;
}

bool has_thread(std::string const& name) {
    auto const all = threads();
    return std::find(all.begin(), all.end(), name) != all.end();
}

/// Polls the descriptor of one client on a thread of its own, until it is told that nothing more will come.
class poll_loop {
public:
    ~poll_loop() {
        if (thread_.joinable()) thread_.join();
    }
    user_loop as_loop() {
        return {[this] { return thread_id_ == std::this_thread::get_id(); }, {}};
    }
    void run(event_source source) {
        thread_ = std::thread([this, source]() mutable {
            thread_id_ = std::this_thread::get_id();
            for (;;) {
                pollfd one{source.native_handle(), POLLIN, 0};
                ::poll(&one, 1, -1);
                if (!source.run_ready()) break;
                ++turns;
            }
            ended = true;
        });
    }
    std::thread::id id() const { return thread_id_; }

    std::atomic<int> turns{0};
    std::atomic<bool> ended{false};

private:
    std::thread thread_;
    std::atomic<std::thread::id> thread_id_{};
};

/// What was said to completions, and where.
struct record {
    std::promise<void> called;
    errc code{};
    std::string message;
    hold got;
    std::thread::id thread;
    bool began = false;
    bool discarded = false;
    canceller how;
};

template <class... Values> class recording final : public completion<Values...> {
public:
    explicit recording(record& into, completes_on where = completes_on::reactor)
        : completion<Values...>(where), into_(into) {}

    void begins(canceller const& how) noexcept override {
        into_.began = true;
        into_.how = how;
    }
    void complete(redlatch::outcome const& how, Values... what) noexcept override {
        into_.code = static_cast<errc>(how.code().value());
        into_.message = how.failed() ? how.message() : "";
        into_.thread = std::this_thread::get_id();
        if constexpr (std::is_same_v<std::tuple<Values...>, std::tuple<hold>>) ((into_.got = std::move(what)), ...);
        auto& called = into_.called;
        delete this;
        called.set_value();
    }
    void discard() noexcept override {
        into_.discarded = true;
        delete this;
    }

private:
    record& into_;
};

class user_loop_test : public with_server {
protected:
    poll_loop loop;
    client user{quick(server.uri()), loop.as_loop()};
    reentrant_lock lock = user.get_lock(name);

    void start(record& into, acquire_options const& options, completes_on where = completes_on::reactor) {
        completion_ptr<hold> done(new recording<hold>(into, where));
        auto const end = lock.start_acquire(options, done);
        EXPECT_FALSE(end) << end->message();
        EXPECT_EQ(done, nullptr);
    }
};

TEST_F(user_loop_test, completions_are_called_on_the_loop_and_no_thread_of_ours_exists) {
    loop.run(user.loop_source());
    record acquired;
    start(acquired, {.owner = owner()});
    acquired.called.get_future().get();
    EXPECT_EQ(acquired.code, errc{}) << acquired.message;
    EXPECT_EQ(acquired.thread, loop.id());
    EXPECT_TRUE(acquired.began);
    EXPECT_TRUE(exists(name));
    record released;
    completion_ptr<> done(new recording<>(released));
    EXPECT_FALSE(acquired.got.start_release(done));
    released.called.get_future().get();
    EXPECT_EQ(released.code, errc{});
    EXPECT_FALSE(exists(name));
    EXPECT_FALSE(has_thread("redlatch-io"));
    EXPECT_FALSE(has_thread("redlatch-notify"));
    user.close();
    EXPECT_TRUE(wait_until([&] { return loop.ended.load(); }));
}

TEST_F(user_loop_test, a_loop_that_cannot_be_asked_for_its_thread_is_refused) {
    try {
        client const made(quick(server.uri()), user_loop{});
        ADD_FAILURE() << "not refused";
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::invalid_argument);
        EXPECT_NE(std::string(problem.what()).find("user_loop::on_thread is empty"), std::string::npos);
    }
}

TEST_F(user_loop_test, a_completion_may_ask_for_the_notifier_thread) {
    loop.run(user.loop_source());
    record acquired;
    start(acquired, {.owner = owner()}, completes_on::notifier);
    acquired.called.get_future().get();
    EXPECT_TRUE(acquired.got);
    EXPECT_NE(acquired.thread, loop.id());
    EXPECT_TRUE(has_thread("redlatch-notify"));
    acquired.got.release();
    user.close();
}

TEST_F(user_loop_test, an_executor_of_the_users_is_called_on_the_loop) {
    loop.run(user.loop_source());
    auto const where_it_is_called = [&](acquire_options const& options) {
        std::promise<std::thread::id> called;
        auto const on_this_thread = [](std::function<void()> const& task) { task(); };
        lock.async_acquire(options, on_this_thread,
                           [&](std::error_code, hold) { called.set_value(std::this_thread::get_id()); });
        return called.get_future().get();
    };
    auto const after_a_call = where_it_is_called({});
    auto const after_a_refusal = where_it_is_called({.lease = -1ms}); // known at once
    EXPECT_EQ(after_a_call, loop.id());
    EXPECT_EQ(after_a_refusal, loop.id());
    EXPECT_FALSE(has_thread("redlatch-notify"));
    user.close();
}

TEST_F(user_loop_test, locks_are_renewed_by_the_loop) {
    user.close();
    poll_loop second;
    config settings = quick(server.uri());
    settings.lock_watchdog_timeout = 1500ms;
    client renewing(settings, second.as_loop());
    second.run(renewing.loop_source());
    hold const held = renewing.get_lock(name).acquire();
    EXPECT_TRUE(wait_until([&] { return renewing.stats().renewals >= 3; }));
    EXPECT_TRUE(held);
    renewing.close();
    EXPECT_FALSE(exists(name));
}

TEST_F(user_loop_test, a_hold_that_is_not_valid_any_more_does_not_count_although_no_turn_was_taken) {
    hold mine = lock.acquire({.lease = 200ms});
    EXPECT_EQ(lock.hold_count(), 1);
    ASSERT_TRUE(wait_until([&] { return lease_clock::now() >= mine.valid_until(); }));
    EXPECT_EQ(lock.hold_count(), 0);
    EXPECT_FALSE(lock.is_held());
    EXPECT_EQ(mine.status(), hold_status::lost);
}

TEST_F(user_loop_test, a_refusal_is_returned_and_the_completion_stays_ours) {
    record never;
    completion_ptr<hold> done(new recording<hold>(never));
    auto const refused = lock.start_acquire({.lease = 0ms}, done);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code(), errc::invalid_argument);
    EXPECT_NE(refused->message().find(name), std::string::npos) << refused->message();
    EXPECT_NE(done, nullptr);
    EXPECT_FALSE(never.began);
    done.reset();
    EXPECT_TRUE(never.discarded);
}

TEST_F(user_loop_test, a_try_that_finds_the_lock_held_says_so_and_names_it) {
    loop.run(user.loop_source());
    hold_as_stranger(server, name, 60s);
    record tried;
    completion_ptr<hold> done(new recording<hold>(tried));
    ASSERT_FALSE(lock.start_try_acquire({.owner = owner()}, done));
    tried.called.get_future().get();
    EXPECT_EQ(tried.code, errc::busy);
    EXPECT_NE(tried.message.find(name), std::string::npos) << tried.message;
    EXPECT_FALSE(tried.got);
}

TEST_F(user_loop_test, blocking_calls_are_refused_on_the_loop) {
    loop.run(user.loop_source());
    struct asks final : completion<bool> {
        asks(reentrant_lock which, std::promise<errc>& said) : lock(std::move(which)), answer(said) {}
        void complete(redlatch::outcome const&, bool) noexcept override {
            auto& told = answer;
            auto const reason = outcome_of([this] { (void)lock.acquire(); }).reason;
            delete this;
            told.set_value(reason);
        }
        void discard() noexcept override { delete this; }
        reentrant_lock lock;
        std::promise<errc>& answer;
    };
    std::promise<errc> said;
    completion_ptr<bool> done(new asks(lock, said));
    EXPECT_FALSE(lock.start_is_locked(done));
    EXPECT_EQ(said.get_future().get(), errc::wrong_thread);
    user.close();
}

TEST_F(user_loop_test, a_canceller_ends_a_wait) {
    loop.run(user.loop_source());
    client other(quick(server.uri()));
    hold const theirs = other.get_lock(name).acquire();
    record waiting;
    start(waiting, {.owner = owner()});
    ASSERT_TRUE(wait_until([&] { return somebody_waits(name); }));
    waiting.how.cancel();
    waiting.called.get_future().get();
    EXPECT_EQ(waiting.code, errc::cancelled);
    EXPECT_NE(waiting.message.find(name), std::string::npos) << waiting.message;
    waiting.how.cancel(); // of what has ended
    expect_idle(user);
    user.close();
}

TEST_F(user_loop_test, closing_calls_each_completion_once_also_without_the_loop) {
    client other(quick(server.uri()));
    hold const theirs = other.get_lock(name).acquire();
    record waiting;
    start(waiting, {.owner = owner()});
    user.close(); // nobody has run the loop; the closing thread does
    waiting.called.get_future().get();
    EXPECT_EQ(waiting.code, errc::closed);
    EXPECT_EQ(waiting.thread, std::this_thread::get_id());
    EXPECT_FALSE(user.loop_source().run_ready());
}

TEST_F(user_loop_test, an_abandoned_client_discards_completions_and_releases_what_it_holds) {
    hold const held = lock.acquire();
    record waiting;
    start(waiting, {.owner = owner()});
    event_source source = user.loop_source();
    EXPECT_TRUE(source.run_ready());
    source.abandon();
    EXPECT_TRUE(waiting.discarded);
    EXPECT_FALSE(exists(name));
    EXPECT_EQ(held.status(), hold_status::lost);
    EXPECT_EQ(outcome_of([&] { (void)lock.acquire(); }).reason, errc::closed);
    EXPECT_FALSE(source.run_ready());
    expect_clean(server);
}

/// The loop of a client, that turns when the test says so.
class slow_loop {
public:
    explicit slow_loop(std::string const& address)
        : user(quick(address), user_loop{[this] { return turning_ == std::this_thread::get_id(); }, {}}),
          source_(user.loop_source()) {}
    template <class Predicate> bool turn_until(Predicate predicate, std::chrono::milliseconds limit = patience) {
        turning_ = std::this_thread::get_id();
        bool const seen = wait_until([&] { return source_.run_ready() && predicate(); }, limit);
        turning_ = std::thread::id();
        return seen;
    }

private:
    std::atomic<std::thread::id> turning_{};

public:
    client user;

private:
    event_source source_;
};

class slow_loop_test : public with_server {};

struct told_of_end final : completion<> {
    std::atomic<bool> ended{false};
    canceller asked;
    void begins(canceller const& how) noexcept override { asked = how; }
    void complete(redlatch::outcome const& how) noexcept override { ended = !how.failed(); }
    void discard() noexcept override {}
};

/// Two wait, are told of permits, and find that others took them; before one of them has looked at its answer more come.
TEST_F(slow_loop_test, whoever_learns_late_that_others_were_faster_does_not_sleep_beside_a_permit) {
    byte_proxy proxy{server.address()};
    slow_loop loop(proxy.uri());
    semaphore counter = loop.user.get_semaphore(name);
    counter.release();
    counter.acquire(); // the server knows the scripts
    auto const asked = [&] { return proxy.count(a_script(locking::scripts::semaphore_acquire)); };
    auto const before = asked();
    auto first = in_thread([&] { counter.acquire({.wait = 60s}); });
    ASSERT_TRUE(loop.turn_until([&] { return asked() == before + 2; })) << "once more when it listens";
    told_of_end second;
    completion_ptr<> done(&second);
    ASSERT_FALSE(counter.start_acquire({.wait = 60s}, done));
    ASSERT_TRUE(loop.turn_until([&] { return loop.user.stats().waiters == 2; }));

    auto const left = [&] { return server.run("GET", name).text; };
    for (int time = 0; time < 2; ++time) { // having been refused once, both listen
        int turns = 0;
        loop.user.ping(); // behind all answers
        ASSERT_TRUE(loop.turn_until([&] { return ++turns > 3; }));
        auto const asked_before = asked();
        proxy.hold(direction::to_server);
        auto released = in_thread([&] { counter.release(2); });
        ASSERT_TRUE(loop.turn_until([&] { return asked() == asked_before + 2; })) << "both";
        server.run("SET", name, "-2"); // others are faster
        proxy.pass(direction::to_server);
        released.get();
        ASSERT_EQ(left(), "0");
    }
    counter.release(2);
    first.get();
    EXPECT_TRUE(loop.turn_until([&] { return second.ended.load(); }, 10s)) << "before it would ask by itself";
    EXPECT_EQ(left(), "0");
}

/// The first of two that wait is told of a permit, and leaves before it has asked for it.
TEST_F(slow_loop_test, what_a_waiter_was_told_of_is_for_the_next_one_when_it_leaves) {
    slow_loop loop(server.uri());
    semaphore counter = loop.user.get_semaphore(name);
    counter.release();
    counter.acquire();
    told_of_end first;
    told_of_end second;
    for (auto* const one : {&first, &second}) {
        completion_ptr<> done(one);
        ASSERT_FALSE(counter.start_acquire({.wait = 60s}, done));
    }
    ASSERT_TRUE(loop.turn_until([&] { return somebody_listens("redisson_sc:{" + name + "}"); }));
    int turns = 0;
    loop.user.ping(); // behind the answer to what is asked once more when it listens
    ASSERT_TRUE(loop.turn_until([&] { return ++turns > 3; }));
    counter.release();
    first.asked.cancel();
    EXPECT_TRUE(loop.turn_until([&] { return second.ended.load(); }, 10s)) << "before it would ask by itself";
    EXPECT_FALSE(first.ended);
    EXPECT_EQ(server.run("GET", name).text, "0");
}

} // namespace
} // namespace redlatch::test
