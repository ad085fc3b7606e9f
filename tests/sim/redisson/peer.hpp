// A process that locks as Redisson's RLock does: one client, many threads, a watchdog. Written from the description of the
// protocol and of the client's behaviour, with scripts of our own that do the same on the server. Times are a Java machine's.
#pragma once

#include "sim/redisson/connection.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace redlatch::sim {

class redisson_peer {
public:
    struct settings {
        std::int64_t watchdog = 30'000; ///< ms, as is each lease
        std::function<void()>
            messages_are_lost{}; ///< nobody is woken by a new connection: waiters sleep until their timers
    };
    redisson_peer(network& net, process& of, settings how);
    redisson_peer(redisson_peer const&) = delete;
    redisson_peer& operator=(redisson_peer const&) = delete;

    void start();
    void close();
    bool connected() const noexcept { return commands_.up() && messages_.up(); }

    // For fibers of its process.

    enum class answer { acquired, busy, failed };
    struct request {
        std::string lock;
        std::int64_t thread = 0;
        std::optional<std::int64_t> lease{}; ///< none: the watchdog renews
        std::optional<std::int64_t> wait{};  ///< none: until it has the lock; 0: one attempt
    };
    answer lock(request const& what);
    /// Null: done; else why not.
    char const* unlock(request const& what);

    std::string owner(std::int64_t thread) const { return id_ + ":" + std::to_string(thread); }
    /// May this thread rely on its hold now? It would not ask itself.
    bool holds(std::string const& lock, std::int64_t thread) const;

private:
    using place = std::pair<std::string, std::int64_t>;
    struct held {
        std::int64_t count = 0;
        std::int64_t lease = 0;
        bool renewed = false;
        moment valid_until{0};
    };
    /// Of one channel: how many listen, and who sleeps there.
    struct entry {
        int users = 0;
        bool confirmed = false;
        bool refused = false;
        int permits = 0; ///< a message that found nobody asleep
        std::list<fiber*> asleep{};
    };
    struct attempt {
        answer what = answer::failed;
        std::int64_t left = 0; ///< ms
    };

    bool over() const noexcept { return closing_ || owner_.retired; }
    attempt try_once(request const& what);
    /// The answer to one command; null: there is none.
    std::unique_ptr<resp::value> ask(std::string const& command);
    bool subscribe(std::string const& channel, moment until);
    void unsubscribe(std::string const& channel);
    void park(entry& where, moment until);
    void wake_one(entry& where);
    bool on_message(resp::value const& what);
    void listen(std::string const& channel);
    void listen_again();
    void renew_all();
    moment validity(moment sent_at, std::int64_t lease) const;

    network& net_;
    process& owner_;
    settings const settings_;
    std::string id_;
    redisson_connection commands_;
    redisson_connection messages_;
    std::map<place, held> holds_;
    std::map<std::string, entry> channels_;
    std::list<fiber*> waiting_; ///< for an answer or a confirmation
    std::uint64_t releases_ = 0;
    bool closing_ = false;
};

} // namespace redlatch::sim
