// Work in a coroutine that ends when its lock is lost: whichever is first, and the other one is cancelled. Nobody has to look
// at the hold in between.
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

asio::awaitable<void> work(std::chrono::milliseconds amount) {
    asio::steady_timer timer(co_await asio::this_coro::executor, amount);
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> work_while_held(redlatch::reentrant_lock lock, std::chrono::milliseconds amount) {
    redlatch::hold held = co_await redlatch::async_acquire(lock, asio::use_awaitable);
    // Operands of co_await have names: g++ 12 destroys temporaries there twice.
    auto working = work(amount);
    auto losing = redlatch::async_wait_lost(held, asio::use_awaitable);
    auto either = std::move(working) || std::move(losing);
    std::variant<std::monostate, std::monostate> const first = co_await std::move(either);
    std::cout << (first.index() == 0 ? "the work is done\n" : "the lock is lost, the work has ended\n");
}

asio::awaitable<void> twice(redlatch::client client) {
    redlatch::reentrant_lock lock = client.get_lock("work with an end");
    co_await work_while_held(lock, 10ms);
    auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, 100ms);
    timer.async_wait([lock](auto const&) mutable { // an administrator, elsewhere
        redlatch::async_force_unlock(lock, [](auto const&, bool) {});
    });
    co_await work_while_held(lock, 1h);
    client.close();
}

} // namespace

int main() {
    asio::io_context loop;
    redlatch::config settings = redlatch::config::local();
    settings.lock_watchdog_timeout = 1s; // renewed three times a second, so that the loss shows soon
    asio::co_spawn(loop, twice(redlatch::make_client(loop, settings)), [](std::exception_ptr problem) {
        if (problem) std::rethrow_exception(problem);
    });
    loop.run();
}
