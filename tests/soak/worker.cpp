// A process of the soak.
//
//     soak_worker URI BOARD ROW THREADS SEED
//
// It reads "work" and "rest" and answers "resting HOLDS WAITERS SUBSCRIPTIONS UNRESOLVED RENEWALS RECONNECTS" when it has given
// back everything; RENEWALS is how many were sent while it held nothing. The end of the input ends it.
#include "mix.hpp"
#include "support/variant.hpp"
#include "support/wait_until.hpp"

#include <iostream>
#include <malloc.h>
#include <string>

namespace redlatch::soak {

namespace {

using namespace std::chrono_literals;

config settings_for(char const* uri) {
    config result;
    result.address = uri;
    result.lock_watchdog_timeout = 3000ms;
    result.timeout = 500ms;
    result.connect_timeout = 2000ms;
    result.retry_delay = 50ms;
    result.retry_attempts = 2;
    result.ping_interval = 1000ms;
    return test::as_variant(std::move(result));
}

/// What is opened on first need, is needed now: the starting point has all the connections that a client can have.
void open_all_connections(client& user, std::string const& name) {
    auto lock = user.get_lock(name);
    auto const renewals = user.stats().renewals;
    hold const mine = lock.acquire({.wait = 10s, .owner = owner{}});
    (void)lock.try_acquire({.wait = 50ms, .owner = owner{}});
    test::wait_until([&] { return user.stats().renewals > renewals; });
}

void rest(client const& user) {
    counters now;
    test::wait_until(
        [&] {
            now = user.stats();
            return now.holds + now.waiters + now.subscriptions + now.unresolved == 0;
        },
        60s);
    auto const renewals = now.renewals;
    // Longer than the time between two renewals of anything that were still kept alive.
    test::stays([] { return true; }, 1500ms);
    now = user.stats();
    ::malloc_trim(0);
    std::cout << "resting " << now.holds << ' ' << now.waiters << ' ' << now.subscriptions << ' ' << now.unresolved
              << ' ' << now.renewals - renewals << ' ' << now.reconnects << std::endl;
}

int run(char** arguments) {
    auto const settings = settings_for(arguments[1]);
    mapped_board const shared(arguments[2]);
    auto const row = std::stoul(arguments[3]);
    auto seed = static_cast<unsigned>(std::stoul(arguments[5]));
    client user(settings);
    mix all(user, settings, *shared, shared->rows.at(row), std::stoi(arguments[4]));
    for (std::string line; std::getline(std::cin, line);) {
        if (line == "work") all.start(seed++);
        if (line == "rest") {
            all.stop();
            open_all_connections(user, "of-process-" + std::string(arguments[3]));
            rest(user);
        }
    }
    return 0;
}

} // namespace

} // namespace redlatch::soak

int main(int count, char** arguments) {
    if (count != 6) return 64;
    try {
        return redlatch::soak::run(arguments);
    } catch (std::exception const& problem) {
        std::cerr << "soak_worker: " << problem.what() << "\n";
        return 1;
    }
}
