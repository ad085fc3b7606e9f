#include "floor/raw_locker.hpp"

#include <stdexcept>

namespace redlatch::bench {

raw_locker::raw_locker(address const& where, form which, std::string const& name, std::string const& owner)
    : connection_(where), form_(which), time_left_(raw_command({"PTTL", name})) {
    lock_requests const requests(which, name, owner);
    acquire_ = raw_command(requests.acquire);
    for (auto const& each : requests.release) release_ += raw_command(each);
    release_replies_ = requests.release.size();
    if (which == form::scripts)
        for (auto const& each : script_loads()) connection_.ask(raw_command(each));
}

std::int64_t raw_locker::try_acquire() {
    connection_.send(acquire_);
    if (form_ == form::scripts) {
        auto const reply = connection_.receive();
        return reply.is_nil() ? -2 : reply.integer;
    }
    for (;;) {
        auto const reply = connection_.receive_any();
        if (reply.type == '+') return -2;
        if (!reply.text.starts_with("BUSYKEY")) throw std::runtime_error("the server says " + reply.text);
        auto const left = connection_.ask(time_left_).integer;
        if (left != -2) return left;
        connection_.send(acquire_); // free meanwhile
    }
}

void raw_locker::acquire() {
    if (auto const left = try_acquire(); left != -2)
        throw std::runtime_error("the lock is held, for " + std::to_string(left) + " ms");
}

void raw_locker::release() {
    connection_.send(release_);
    bool const ours = connection_.receive().integer > 0; // a script adds how many have heard it
    for (std::size_t reply = 1; reply < release_replies_; ++reply) connection_.receive();
    if (!ours) throw std::runtime_error("the lock was not ours any more");
}

} // namespace redlatch::bench
