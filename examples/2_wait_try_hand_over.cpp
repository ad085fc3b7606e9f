// Waiting for so long and no longer, the guards of the standard library, and a lock that changes hands between threads.
#include <redlatch/redlatch.hpp>

#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

int main() {
    redlatch::client client;
    redlatch::reentrant_lock orders = client.get_lock("orders");
    redlatch::reentrant_lock invoices = client.get_lock("invoices");

    {
        std::scoped_lock both(orders, invoices); // no deadlock, whatever the order in which others take them
        std::cout << "both held\n";
    }

    redlatch::owner job; // an owner of its own, not this thread
    redlatch::hold hold = orders.acquire({.lease = 10s, .owner = job});

    // Busy is an answer, not an error.
    if (!orders.try_acquire({.wait = 100ms})) std::cout << "busy\n";

    std::jthread worker([hold = std::move(hold)]() mutable {
        std::cout << "released by another thread\n";
        hold.release();
    });
    worker.join();

    if (auto again = orders.try_acquire()) std::cout << "free again\n";
}
