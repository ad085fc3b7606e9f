#include <redlatch/redlatch.hpp>

#include <iostream>

int main() {
    redlatch::client client; // REDLATCH_SERVER, else a private server here; or client("redis://host:6379")
    redlatch::reentrant_lock orders = client.get_lock("orders");
    redlatch::hold hold = orders.acquire(); // waits as long as it takes; renewed until released
    std::cout << "working\n";
    hold.ensure_held(); // throws if the lock is gone
} // released here, whatever happens
