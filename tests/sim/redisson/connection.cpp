#include "sim/redisson/connection.hpp"

#include "resp/command.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <utility>

namespace redlatch::sim {

using namespace std::chrono_literals;

void redisson_connection::start() {
    reader_ = &world::the().spawn(owner_, [this] { live(); });
}

void redisson_connection::live() {
    auto& in = world::the();
    while (!over()) {
        if (connect()) serve();
        drop();
        if (!over()) in.rest_for(in.between(50ms, 150ms));
    }
    reader_ = nullptr;
}

void redisson_connection::stay_until(moment until, short events) {
    if (net_.ready(fd_, events) != 0) return;
    net_.watch(fd_, fiber::current());
    world::the().rest_until(until);
    net_.watch(fd_, nullptr);
}

bool redisson_connection::connect() {
    auto& in = world::the();
    fd_ = net_.open_socket();
    if (fd_ < 0) return false;
    net_.connect(fd_, 0);
    auto const until = in.now() + 500ms;
    while (!over() && net_.ready(fd_, POLLOUT) == 0 && in.now() < until) stay_until(until, POLLOUT);
    if (over() || net_.pending_error(fd_) != 0 || net_.ready(fd_, POLLOUT) == 0) return false;
    up_ = true;
    replies_ = resp::reader();
    if (hooks_.up) hooks_.up();
    return true;
}

void redisson_connection::serve() {
    auto& in = world::the();
    bool asked = false; // whether the other side is still there
    for (auto look_at = in.now() + 400ms; !over();) {
        flush();
        auto const events = static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT));
        stay_until(look_at, events);
        std::array<char, 4096> buffer{};
        auto const count = net_.receive(fd_, buffer.data(), buffer.size());
        if (count == 0 || (count < 0 && errno != EAGAIN)) return;
        if (count > 0) {
            replies_.feed({buffer.data(), static_cast<std::size_t>(count)});
            in.rest_for(in.between(120us, 260us)); // threads of the pool, futures, and whoever waits
            asked = false;
            look_at = in.now() + 400ms;
            for (resp::value one; !over() && replies_.next(one) == resp::reader::result::value;) deal_with(one);
        } else if (in.now() >= look_at) {
            if (std::exchange(asked, true)) return;
            look_at = in.now() + 400ms;
            call(resp::command("PING"), [](resp::value const*) {});
        }
    }
}

void redisson_connection::deal_with(resp::value const& reply) {
    if (hooks_.unasked_for && hooks_.unasked_for(reply)) return;
    if (due_.empty()) return;
    auto const then = std::move(due_.front());
    due_.pop_front();
    then(&reply);
}

void redisson_connection::call(std::string const& command, handler then) {
    if (!up_ || over()) return then(nullptr);
    due_.push_back(std::move(then));
    out_ += command;
    flush();
}

void redisson_connection::flush() {
    while (up_ && !out_.empty()) {
        auto const count = net_.send(fd_, out_.data(), out_.size());
        if (count <= 0) break; // the reader sees what it is
        out_.erase(0, static_cast<std::size_t>(count));
    }
    if (!out_.empty() && reader_ != nullptr && fiber::current() != reader_) world::the().wake(*reader_);
}

void redisson_connection::drop() {
    bool const was_up = std::exchange(up_, false);
    if (fd_ >= 0) net_.close(std::exchange(fd_, -1));
    out_.clear();
    for (auto const& one : std::exchange(due_, {})) one(nullptr);
    if (was_up && hooks_.lost) hooks_.lost();
}

void redisson_connection::close() {
    closing_ = true;
    if (reader_ != nullptr) world::the().wake(*reader_);
}

} // namespace redlatch::sim
