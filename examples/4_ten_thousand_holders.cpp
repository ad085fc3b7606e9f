// A server of coroutines: ten thousand sessions hold a lock each, at the same time, on one thread. The io_context runs the
// client too; no other thread exists.
#include <redlatch/asio.hpp>
#include <redlatch/redlatch.hpp>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;

namespace {

constexpr int sessions = 10'000;

struct server {
    int holding = 0;
    int most = 0;
    int ended = 0;
    asio::steady_timer everybody_holds;
};

asio::awaitable<void> session(redlatch::client client, int number, server& all) {
    redlatch::reentrant_lock seat = client.get_lock("seat " + std::to_string(number));
    redlatch::hold held = co_await redlatch::async_acquire(seat, asio::use_awaitable);
    all.most = std::max(all.most, ++all.holding);
    if (all.holding == sessions) all.everybody_holds.expires_at(asio::steady_timer::time_point::min());

    boost::system::error_code woken; // the work: to wait until all the others hold theirs
    auto quietly = asio::redirect_error(asio::use_awaitable, woken);
    co_await all.everybody_holds.async_wait(quietly);

    held.ensure_held();
    co_await redlatch::async_release(std::move(held), asio::use_awaitable);
    --all.holding;
}

} // namespace

int main() {
    asio::io_context loop;
    redlatch::client client = redlatch::make_client(loop);
    server all{.everybody_holds = asio::steady_timer(loop, asio::steady_timer::time_point::max())};
    for (int number = 0; number < sessions; ++number)
        asio::co_spawn(loop, session(client, number, all), [&](std::exception_ptr problem) {
            if (problem) std::rethrow_exception(problem); // leaves run()
            if (++all.ended == sessions) client.close();  // else the loop would wait for more
        });
    loop.run();
    std::cout << all.most << " held at once, " << client.stats().holds << " now\n";
}
