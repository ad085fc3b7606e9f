// What a client and a lock can be asked asynchronously: the answer, an error, cancellation, a client that closes.
#include "integration/fixture.hpp"
#include "io/client_core.hpp"
#include "io/query.hpp"
#include "locking/wire_call.hpp"

#include <atomic>
#include <functional>
#include <thread>

namespace redlatch::test {
namespace {

/// How one question ended.
struct ending {
    std::error_code code;
    std::thread::id thread;
};

/// Remembers what a completion was told. Made with new: deletes itself.
template <class Value> class cancelled_later final : public completion<Value> {
public:
    cancelled_later(std::shared_ptr<std::promise<ending>> whom, canceller& how) : whom_(std::move(whom)), how_(how) {}
    void begins(canceller const& how) noexcept override { how_ = how; }
    void complete(redlatch::outcome const& how, Value) noexcept override {
        auto const whom = std::move(whom_);
        ending const end{how.code(), std::this_thread::get_id()};
        delete this;
        whom->set_value(end);
    }
    void discard() noexcept override { delete this; }

private:
    std::shared_ptr<std::promise<ending>> whom_;
    canceller& how_;
};

/// One question in both asynchronous forms, whatever its answer is.
struct question {
    std::string name;
    std::string command; ///< that it sends
    std::function<void(client&, reentrant_lock&, executor, std::function<void(std::error_code)>)> ask;
    std::function<std::optional<redlatch::outcome>(client&, reentrant_lock&, std::shared_ptr<std::promise<ending>>,
                                                   canceller&)>
        start;
};

template <class Value, class Ask, class Start>
question make_question(std::string name, std::string command, Ask ask, Start start) {
    return {std::move(name), std::move(command),
            [ask](client& user, reentrant_lock& lock, executor where, std::function<void(std::error_code)> handler) {
                ask(user, lock, std::move(where),
                    [handler = std::move(handler)](std::error_code code, Value const&) { handler(code); });
            },
            [start](client& user, reentrant_lock& lock, std::shared_ptr<std::promise<ending>> whom, canceller& how) {
                completion_ptr<Value> done(new cancelled_later<Value>(std::move(whom), how));
                return start(user, lock, done);
            }};
}

std::vector<question> const& questions() {
    using locks = std::vector<lock_info>;
    using lease = std::optional<duration>;
    static std::vector<question> const all{
        make_question<server_info>(
            "ping", "INFO",
            [](client& user, reentrant_lock&, auto where, auto handler) { user.async_ping(where, handler); },
            [](client& user, reentrant_lock&, auto& done) { return user.start_ping(done); }),
        make_question<server_setup>(
            "inspect_servers", "INFO",
            [](client& user, reentrant_lock&, auto where, auto handler) { user.async_inspect_servers(where, handler); },
            [](client& user, reentrant_lock&, auto& done) { return user.start_inspect_servers(done); }),
        make_question<locks>(
            "list_locks", "SCAN",
            [](client& user, reentrant_lock&, auto where, auto handler) { user.async_list_locks("*", where, handler); },
            [](client& user, reentrant_lock&, auto& done) { return user.start_list_locks("*", done); }),
        make_question<std::vector<counter_info>>(
            "list_counters", "SCAN",
            [](client& user, reentrant_lock&, auto where, auto handler) {
                user.async_list_counters("*", where, handler);
            },
            [](client& user, reentrant_lock&, auto& done) { return user.start_list_counters("*", done); }),
        make_question<std::vector<permit_info>>(
            "list_permit_semaphores", "SCAN",
            [](client& user, reentrant_lock&, auto where, auto handler) {
                user.async_list_permit_semaphores("*", where, handler);
            },
            [](client& user, reentrant_lock&, auto& done) { return user.start_list_permit_semaphores("*", done); }),
        make_question<bool>(
            "is_locked", "EXISTS",
            [](client&, reentrant_lock& lock, auto where, auto handler) { lock.async_is_locked(where, handler); },
            [](client&, reentrant_lock& lock, auto& done) { return lock.start_is_locked(done); }),
        make_question<lease>(
            "remaining_lease", "PTTL",
            [](client&, reentrant_lock& lock, auto where, auto handler) { lock.async_remaining_lease(where, handler); },
            [](client&, reentrant_lock& lock, auto& done) { return lock.start_remaining_lease(done); }),
        make_question<lock_info>(
            "inspect", "HSCAN",
            [](client&, reentrant_lock& lock, auto where, auto handler) { lock.async_inspect(where, handler); },
            [](client&, reentrant_lock& lock, auto& done) { return lock.start_inspect(done); }),
    };
    return all;
}

// --- the answers

class async_answer_test : public with_server {
protected:
    client user{quick(server.uri())};
    reentrant_lock lock = user.get_lock(name);

    /// What `ask(handler)` brings; throws error.
    template <class Value, class Ask> static Value answer(Ask ask) {
        std::promise<std::pair<std::error_code, Value>> done;
        ask([&](std::error_code code, Value value) { done.set_value({code, std::move(value)}); });
        auto [code, value] = done.get_future().get();
        if (code) throw error(static_cast<errc>(code.value()), code.message());
        return std::move(value);
    }
};

TEST_F(async_answer_test, to_ping_is_the_server) {
    auto const seen = answer<server_info>([&](auto handler) { user.async_ping({}, handler); });
    EXPECT_NE(seen.address.find(server.address().path), std::string::npos) << seen.address;
    EXPECT_NE(server.run("INFO", "server").text.find("_version:" + seen.version), std::string::npos) << seen.version;
    EXPECT_GT(seen.round_trip.count(), 0);
}

TEST_F(async_answer_test, about_a_lock_is_what_the_server_knows_of_it) {
    auto const is_locked = [&] { return answer<bool>([&](auto handler) { lock.async_is_locked({}, handler); }); };
    auto const lease = [&] {
        return answer<std::optional<duration>>([&](auto handler) { lock.async_remaining_lease({}, handler); });
    };
    auto const seen = [&] { return answer<lock_info>([&](auto handler) { lock.async_inspect({}, handler); }); };
    EXPECT_FALSE(is_locked());
    EXPECT_EQ(lease(), std::nullopt);
    EXPECT_FALSE(seen().held);

    hold mine = lock.acquire({.lease = 60s});
    EXPECT_TRUE(is_locked());
    ASSERT_TRUE(lease().has_value());
    EXPECT_GT(*lease(), 30s);
    EXPECT_LE(*lease(), 60s);
    auto const held = seen();
    EXPECT_TRUE(held.held);
    ASSERT_EQ(held.owners.size(), 1U);
    EXPECT_EQ(held.owners[0].owner, mine.owner_id());
    EXPECT_EQ(held.owners[0].client, user.id());
}

TEST_F(async_answer_test, to_list_locks_is_those_that_match) {
    hold const one = user.get_lock("listed:a").acquire();
    hold const two = user.get_lock("unlisted").acquire();
    auto const found =
        answer<std::vector<lock_info>>([&](auto handler) { user.async_list_locks("listed:*", {}, handler); });
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, "listed:a");
    EXPECT_EQ(found[0].owners.at(0).owner, one.owner_id());
}

TEST_F(async_answer_test, to_list_counters_and_permit_semaphores_is_those_that_match) {
    EXPECT_TRUE(user.get_semaphore("listed:a").try_set_permits(3));
    EXPECT_TRUE(user.get_semaphore("unlisted").try_set_permits(4));
    auto pool = user.get_permit_semaphore("listed:pool");
    EXPECT_TRUE(pool.try_set_permits(2));
    permits const one = pool.acquire({.lease = 60s});
    auto const numbers =
        answer<std::vector<counter_info>>([&](auto handler) { user.async_list_counters("listed:*", {}, handler); });
    ASSERT_EQ(numbers.size(), 1U);
    EXPECT_EQ(numbers[0].name, "listed:a");
    EXPECT_EQ(numbers[0].number, 3);
    auto const pools = [&](permit_visit_options const& options) {
        return answer<std::vector<permit_info>>(
            [&](auto handler) { user.async_list_permit_semaphores("listed:*", {}, handler, options); });
    };
    ASSERT_EQ(pools({}).size(), 1U);
    EXPECT_EQ(pools({})[0].name, "listed:pool");
    EXPECT_EQ(pools({})[0].taken, 1);
    EXPECT_EQ(pools({.with_untaken = true}).size(), 2U);
}

// --- every question

class async_question_test : public with_server, public ::testing::WithParamInterface<std::size_t> {
protected:
    question const& asked = questions().at(GetParam());
    byte_proxy proxy{server.address()};
    config settings() const {
        auto made = quick(proxy.uri());
        made.timeout = 10s;
        return made;
    }
    client user{settings()};
    reentrant_lock lock = user.get_lock(name);

    std::future<ending> ask(client& of, executor where = {}) {
        auto const promise = std::make_shared<std::promise<ending>>();
        auto its_lock = of.get_lock(name);
        asked.ask(of, its_lock, std::move(where), [promise](std::error_code code) {
            promise->set_value({code, std::this_thread::get_id()});
        });
        return promise->get_future();
    }
};

INSTANTIATE_TEST_SUITE_P(about, async_question_test, ::testing::Range<std::size_t>(0, 5),
                         [](auto const& which) { return questions().at(which.param).name; });

TEST_P(async_question_test, is_answered_on_the_executor) {
    std::promise<std::function<void()>> handed;
    auto answered = ask(user, [&](std::function<void()> task) { handed.set_value(std::move(task)); });
    auto const task = handed.get_future().get();
    EXPECT_FALSE(is_ready(answered)) << "the executor decides when";
    task();
    auto const end = answered.get();
    EXPECT_FALSE(end.code) << end.code.message();
    EXPECT_EQ(end.thread, std::this_thread::get_id());
    EXPECT_GE(proxy.count(a_command(asked.command)), 1U);
}

TEST_P(async_question_test, says_that_the_server_is_gone) {
    auto impatient = quick(server.uri());
    client other(impatient);
    server.stop();
    EXPECT_EQ(ask(other).get().code, errc::disconnected);
}

TEST_P(async_question_test, says_that_the_server_refuses) {
    words const rights{"ACL",   "SETUSER", "restricted", "on",      ">secret", "~*",     "&*",       "+@all",
                       "-info", "-hello",  "-scan",      "-exists", "-pttl",   "-hscan", "-evalsha", "-eval"};
    ASSERT_EQ(server.admin().command(rights).text, "OK");
    auto restricted = quick(server.uri());
    restricted.username = "restricted";
    restricted.password = "secret";
    client other(restricted);
    auto const end = ask(other).get();
    if (asked.name == std::string_view("ping") || asked.name == std::string_view("inspect_servers"))
        EXPECT_FALSE(end.code) << "a refusal shows that the server is there";
    else
        EXPECT_EQ(end.code, errc::server_refused);
}

TEST_P(async_question_test, is_cancelled_with_the_call_in_flight) {
    auto const trap = proxy.hold_reply(a_command(asked.command));
    auto const promise = std::make_shared<std::promise<ending>>();
    canceller how;
    ASSERT_FALSE(asked.start(user, lock, promise, how));
    ASSERT_TRUE(trap.wait());
    how.cancel();
    auto end = promise->get_future();
    ASSERT_EQ(end.wait_for(5s), std::future_status::ready) << "long before the timeout of the call";
    EXPECT_EQ(end.get().code, errc::cancelled);
    trap.deliver();
    EXPECT_FALSE(ask(user).get().code) << "the late answer is not taken for the next one";
}

TEST_P(async_question_test, ends_with_the_client) {
    auto const trap = proxy.hold_reply(a_command(asked.command));
    auto waiting = ask(user);
    ASSERT_TRUE(trap.wait());
    user.close();
    EXPECT_EQ(waiting.get().code, errc::closed);
}

TEST_P(async_question_test, of_a_closed_client_is_refused_but_not_inside_the_call) {
    user.close();
    std::atomic<bool> calling{true};
    std::promise<bool> inside;
    auto const caller = std::this_thread::get_id();
    auto ended = ask(user, [&](std::function<void()> const& task) {
        inside.set_value(calling && std::this_thread::get_id() == caller);
        task();
    });
    calling = false;
    EXPECT_EQ(ended.get().code, errc::closed);
    EXPECT_FALSE(inside.get_future().get());
    auto const promise = std::make_shared<std::promise<ending>>();
    canceller how;
    auto const at_once = asked.start(user, lock, promise, how);
    ASSERT_TRUE(at_once);
    EXPECT_EQ(at_once->code(), errc::closed);
}

// --- a server that executes nothing

TEST_F(async_answer_test, comes_also_to_a_pausing_attempt_when_the_client_closes) {
    server.run("CONFIG", "SET", "min-replicas-to-write", "1"); // every write is refused, and tried again after a pause
    auto patient = quick(server.uri());
    patient.timeout = 60s;
    client other(patient);
    std::promise<std::error_code> ended;
    other.get_lock(name).async_acquire(
        {.wait = 60s, .owner = owner()}, {},
        [&](std::error_code code, std::optional<hold> const&) { ended.set_value(code); });
    ASSERT_TRUE(wait_until([&] { return other.stats().commands >= 2; })) << "it has been tried again";
    other.close();
    auto end = ended.get_future();
    ASSERT_EQ(end.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(end.get(), errc::closed);
}

TEST_F(async_answer_test, comes_at_once_to_a_pausing_question_when_the_client_closes) {
    server.run("CONFIG", "SET", "min-replicas-to-write", "1");
    auto const core = io::client_core::open(quick(server.uri()));
    io::query one(core, locking::command_call("SET", "key", {"value"}), "writing a key");
    auto& me = io::parker::of_this_thread();
    one.set_waker(me.as_waker());
    while (!one.step() && one.at().where != nullptr)
        one.at().where->wait(
            me, [&] { return one.ready(); }, one.at().until);
    ASSERT_EQ(one.result(), std::error_code()) << "it was refused, and pauses";
    core->close();
    EXPECT_TRUE(one.ready());
    EXPECT_TRUE(one.step()) << "whoever drives it would turn in circles";
    EXPECT_EQ(one.result(), errc::closed);
}

} // namespace
} // namespace redlatch::test
