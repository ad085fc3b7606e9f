// One connection of a simulated Java process: commands go out at once, answers are dealt with when the machine comes to it.
#pragma once

#include "resp/reader.hpp"
#include "sim/world/network.hpp"
#include "sim/world/world.hpp"

#include <deque>
#include <functional>
#include <string>

namespace redlatch::sim {

/// It connects again by itself; whoever waits for an answer then is told that there is none. Used by fibers and timers of its
/// process only.
class redisson_connection {
public:
    struct hooks {
        std::function<void()> up{};                            ///< there is a connection, a new one each time
        std::function<void()> lost{};                          ///< there is none any more
        std::function<bool(resp::value const&)> unasked_for{}; ///< true: it was a message, nobody's answer
    };
    /// Null: the connection broke first.
    using handler = std::function<void(resp::value const*)>;

    redisson_connection(network& net, process& of, hooks to_tell) : net_(net), owner_(of), hooks_(std::move(to_tell)) {}

    void start();
    void call(std::string const& command, handler then);
    void close();
    bool up() const noexcept { return up_; }

private:
    bool over() const noexcept { return closing_ || owner_.retired; }
    void live();
    bool connect();
    void serve();
    void flush();
    void deal_with(resp::value const& reply);
    void drop();
    void stay_until(moment until, short events);

    network& net_;
    process& owner_;
    hooks const hooks_;
    int fd_ = -1;
    bool up_ = false;
    bool closing_ = false;
    fiber* reader_ = nullptr;
    std::string out_;
    std::deque<handler> due_;
    resp::reader replies_;
};

} // namespace redlatch::sim
