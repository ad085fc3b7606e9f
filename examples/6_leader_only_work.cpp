// Periodic work that only one of several instances does: whoever holds the lock is the leader, the others wait for it without
// polling. When the leader goes away, or loses the lock, the next one takes over.
#include <redlatch/asio.hpp>
#include <redlatch/redlatch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <iostream>

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> instance(redlatch::client client, int& terms) {
    redlatch::reentrant_lock leadership = client.get_lock("leader");
    redlatch::hold leading = co_await redlatch::async_acquire(leadership, asio::use_awaitable);
    int const term = ++terms;
    asio::steady_timer period(co_await asio::this_coro::executor);
    for (int round = 1; round <= 3 && leading; ++round) { // a hold that is lost is false at once
        std::cout << "leader " << term << " works, round " << round << '\n';
        period.expires_after(10ms);
        co_await period.async_wait(asio::use_awaitable);
    }
    // A real one goes on until it is told to stop, and stands again; this one steps down for the sake of the other.
    co_await redlatch::async_release(std::move(leading), asio::use_awaitable);
    client.close();
}

} // namespace

int main() {
    asio::io_context loop; // one for both, so that the example is one process
    int terms = 0;
    auto const rethrow = [](std::exception_ptr problem) {
        if (problem) std::rethrow_exception(problem);
    };
    asio::co_spawn(loop, instance(redlatch::make_client(loop), terms), rethrow);
    asio::co_spawn(loop, instance(redlatch::make_client(loop), terms), rethrow);
    loop.run();
}
