// Work in a coroutine that is cancelled when its lock is lost. Nobody has to look at the hold in between.
#include <redlatch/asio.hpp>
#include <redlatch/asio_work.hpp>
#include <redlatch/redlatch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <iostream>
#include <utility>

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> work(std::chrono::milliseconds amount) {
    asio::steady_timer timer(co_await asio::this_coro::executor, amount);
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> work_while_held(redlatch::reentrant_lock lock, std::chrono::milliseconds amount) {
    redlatch::hold held = co_await redlatch::async_acquire(lock, asio::use_awaitable);
    try {
        // Operands of co_await have names: g++ 12 destroys temporaries there twice.
        auto working = work(amount);
        auto whole = redlatch::run_while_held(held, std::move(working));
        co_await std::move(whole);
        std::cout << "the work is done\n";
    } catch (redlatch::error const& problem) {
        if (problem.reason() != redlatch::errc::lease_lost) throw;
        std::cout << "the lock is lost, the work has ended\n";
    }
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
