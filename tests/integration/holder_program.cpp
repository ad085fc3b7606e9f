// A process of its own that holds a lock, for tests that stop it, kill it or move its clock.
//
//     holder_program URI NAME WATCHDOG_MS LEASE_MS(0: renewed)
//
// It says `held OWNER` when it holds the lock, `event KIND` for each event, `lost` from the stop callback; and answers the
// lines of its input: status, wall (ms since the epoch), release, acquire, quit.
#include <redlatch/redlatch.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace {

std::mutex output;

void say(std::string const& line) {
    std::lock_guard const guard(output);
    std::cout << line << std::endl;
}

char const* name_of(redlatch::hold_status status) {
    switch (status) {
    case redlatch::hold_status::none: return "none";
    case redlatch::hold_status::held: return "held";
    case redlatch::hold_status::suspect: return "suspect";
    case redlatch::hold_status::lost: return "lost";
    case redlatch::hold_status::released: return "released";
    }
    return "?";
}

int run(char** arguments) {
    redlatch::config settings;
    settings.address = arguments[1];
    settings.lock_watchdog_timeout = std::chrono::milliseconds(std::atol(arguments[3]));
    auto const lease = std::chrono::milliseconds(std::atol(arguments[4]));
    redlatch::client client(settings);
    client.on_event([](redlatch::event const& what) { say("event " + std::to_string(static_cast<int>(what.what))); });
    auto lock = client.get_lock(arguments[2]);
    redlatch::acquire_options options{.wait = std::chrono::seconds(20)};
    if (lease.count() > 0) options.lease = lease;
    auto hold = lock.acquire(options);
    std::optional<std::stop_callback<void (*)()>> on_loss(std::in_place, hold.lost(), [] { say("lost"); });
    say("held " + hold.owner_id());
    for (std::string line; std::getline(std::cin, line);) {
        std::error_code code;
        if (line == "status") {
            say("status " + std::string(name_of(hold.status())));
        } else if (line == "wall") {
            auto const now = std::chrono::system_clock::now().time_since_epoch();
            say("wall " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()));
        } else if (line == "release") {
            hold.release(code);
            say(code ? "failed " + code.message() : "released");
        } else if (line == "acquire") {
            hold = lock.acquire(options, code);
            say(code ? "failed " + code.message() : "held " + hold.owner_id());
        } else {
            break;
        }
    }
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 5) return 64;
    try {
        return run(arguments);
    } catch (std::exception const& problem) {
        say(std::string("error ") + problem.what());
        return 1;
    }
}
