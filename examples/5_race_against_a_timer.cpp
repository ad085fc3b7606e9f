// Whichever is first: the lock, or something else - here a timer. The loser is cancelled and leaves nothing behind: no waiter,
// no key, no subscription.
#include <redlatch/asio.hpp>
#include <redlatch/redlatch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <iostream>
#include <variant>

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> race(redlatch::reentrant_lock lock, std::chrono::milliseconds patience) {
    asio::steady_timer timer(co_await asio::this_coro::executor, patience);
    // Operands of co_await have names: g++ 12 destroys temporaries there twice.
    auto acquiring = redlatch::async_acquire(lock, asio::use_awaitable);
    auto waiting = timer.async_wait(asio::use_awaitable);
    auto either = std::move(acquiring) || std::move(waiting);
    std::variant<redlatch::hold, std::monostate> const first = co_await std::move(either);
    std::cout << (first.index() == 0 ? "the lock was first\n" : "the timer was first\n");
}

asio::awaitable<void> twice(redlatch::client client) {
    redlatch::reentrant_lock lock = client.get_lock("race");
    redlatch::hold held = co_await redlatch::async_acquire(lock, asio::use_awaitable);
    co_await race(lock, 100ms); // another owner has it: each call is an owner of its own
    co_await redlatch::async_release(std::move(held), asio::use_awaitable);
    bool const wanted = co_await redlatch::async_is_locked(lock, asio::use_awaitable);
    std::cout << (wanted ? "somebody still wants it\n" : "nobody wants it any more\n");
    co_await race(lock, 1min);
    client.close();
}

} // namespace

int main() {
    asio::io_context loop;
    asio::co_spawn(loop, twice(redlatch::make_client(loop)), [](std::exception_ptr problem) {
        if (problem) std::rethrow_exception(problem);
    });
    loop.run();
}
