// The installed redlatch::asio, on the private server in the folder that REDLATCH_RUNTIME_DIR names.
#include <redlatch/asio.hpp>
#include <redlatch/redlatch.hpp>

#include <boost/asio/io_context.hpp>
#include <iostream>
#include <utility>

int main() {
    boost::asio::io_context loop;
    redlatch::client client = redlatch::make_client(loop);
    bool held = false;
    redlatch::async_acquire(client.get_lock("consumer"), [&](boost::system::error_code, redlatch::hold got) {
        held = static_cast<bool>(got);
        redlatch::async_release(std::move(got), [&](boost::system::error_code) { client.close(); });
    });
    loop.run();
    redlatch::embedded_server server;
    bool const stopped = server.stop(false);
    std::cout << "redlatch::asio, held " << held << ", stopped " << stopped << '\n';
    return held && stopped ? 0 : 1;
}
