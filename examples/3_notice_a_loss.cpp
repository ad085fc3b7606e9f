// A lock with a lease can be lost. Work that lasts looks at the hold's stop_token, which is stopped before anybody else can
// hold the lock - or, as here, as soon as it is known that somebody has taken it away.
#include <redlatch/redlatch.hpp>

#include <chrono>
#include <iostream>
#include <semaphore>
#include <stop_token>
#include <system_error>

using namespace std::chrono_literals;

int main() {
    redlatch::config settings = redlatch::config::local();
    settings.lock_watchdog_timeout = 1s; // renewed three times a second, so that the loss shows soon
    redlatch::client client(settings);
    redlatch::reentrant_lock lock = client.get_lock("long work");

    redlatch::hold hold = lock.acquire();
    std::binary_semaphore stop_work(0);
    std::stop_callback on_loss(hold.lost(), [&] { stop_work.release(); });

    redlatch::client administrator;
    administrator.get_lock("long work").force_unlock();

    stop_work.acquire(); // the work
    std::cout << "lost, work stopped\n";

    std::error_code outcome;
    hold.release(outcome);
    std::cout << "release says: " << (outcome == redlatch::errc::lease_lost ? "lease_lost" : outcome.message()) << '\n';
}
