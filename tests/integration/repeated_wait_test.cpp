// A client that waits for the same lock again and again.
#include "integration/fixture.hpp"

namespace redlatch::test {
namespace {

class repeated_wait_test : public with_server {
protected:
    static config unwatched(std::string const& uri) {
        config settings = quick(uri);
        settings.watched_holds = 0; // what is counted here is what waiters ask
        return settings;
    }
    client user{unwatched(server.uri())};
    client other{unwatched(server.uri())};
    reentrant_lock lock = user.get_lock(name);
    reentrant_lock theirs = other.get_lock(name);
};

// It listens before it asks: what it hears counts from then on, and nothing is to be asked again.
TEST_F(repeated_wait_test, who_had_to_wait_asks_once_the_next_time) {
    auto const questions_of_a_wait = [&] {
        hold mine = theirs.acquire({.wait = 10s});
        monitor watch(server);
        auto waiter = in_thread([&] { lock.acquire({.wait = 60s}).release(); });
        auto const settled = [&] {
            auto const before = watch.count(any_lock_call());
            return before > 0 && stays([&] { return watch.count(any_lock_call()) == before; }, 50ms);
        };
        EXPECT_TRUE(wait_until(settled));
        auto const asked = watch.count(any_lock_call());
        mine.release();
        waiter.get();
        return asked;
    };
    EXPECT_GT(questions_of_a_wait(), 1U) << "the first time it subscribes";
    // On a slow machine the subscription may be given up between two waits.
    EXPECT_TRUE(wait_until([&] { return questions_of_a_wait() == 1; }));
}

} // namespace
} // namespace redlatch::test
