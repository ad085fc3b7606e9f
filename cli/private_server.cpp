#include "private_server.hpp"

#include <redlatch/embedded_server.hpp>

#include <utility>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

/// The client needs a moment to connect; and the server may have been ended once more before that.
constexpr duration look_again = 100ms;

} // namespace

void private_server::begin_wait(client& owner, std::stop_source const& wait) {
    if (!used_) return;
    {
        std::lock_guard const guard(mutex_);
        wait_ = wait;
        waiting_ = true;
    }
    owner.start();
    start();
    std::lock_guard const guard(mutex_);
    have_starter();
}

void private_server::end_wait() {
    std::jthread starter; // its end is awaited without the mutex
    std::lock_guard const guard(mutex_);
    waiting_ = false;
    starter = std::move(starter_);
    starter.request_stop();
}

void private_server::on_event(event const& happened) {
    bool const lost = happened.what == event::kind::disconnected;
    if (!used_ || (!lost && happened.what != event::kind::reconnected)) return;
    std::lock_guard const guard(mutex_);
    lost_ += lost ? 1 : -1;
    changed_.notify_all();
    have_starter();
}

void private_server::have_starter() {
    if (lost_ > 0 && waiting_ && !starter_.joinable())
        starter_ = std::jthread([this](std::stop_token const& end) { start_until_connected(end); });
}

std::optional<error> private_server::failure() const {
    std::lock_guard const guard(mutex_);
    return failure_;
}

void private_server::start_until_connected(std::stop_token const& end) {
    while (!end.stop_requested()) {
        start();
        std::unique_lock held(mutex_);
        changed_.wait_for(held, end, look_again, [&] { return lost_ <= 0; });
        if (lost_ <= 0) changed_.wait(held, end, [&] { return lost_ > 0; });
    }
}

void private_server::start() {
    try {
        embedded_server().ensure_running();
    } catch (error const& problem) {
        std::lock_guard const guard(mutex_);
        failure_ = problem;
        wait_.request_stop();
    }
}

} // namespace redlatch::cli
