// The insides of byte_proxy: one connection, the traps, and the loop that serves them all.
#pragma once

#include "support/byte_proxy.hpp"
#include "support/descriptor.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace redlatch::test {

using proxy_clock = std::chrono::steady_clock;

struct proxy_link;

struct trap_state {
    enum class kind { hold_tail, hold_reply, replace_reply, cut_before, cut_after };
    kind what;
    matcher which;
    std::size_t first = 0;
    cut how = cut::close;
    std::string bytes{};    ///< in place of the reply
    bool sprung = false;    ///< the command has come
    bool done = false;      ///< what the trap does has been done
    bool delivered = false; ///< the test has asked for the held bytes
    proxy_trap::fate fate = proxy_trap::fate::open;
    std::weak_ptr<proxy_link> link{};
};

struct pipe_settings {
    bool held = false;
    bool dropped = false;
    std::chrono::milliseconds delay{0};
};

/// Bytes on their way, each piece with the time when it may go on.
struct passage {
    struct piece {
        proxy_clock::time_point due;
        std::string bytes;
    };
    std::deque<piece> pieces{};
    bool held = false;  ///< by a trap
    std::string kept{}; ///< behind the trap
};

struct proxy_link {
    descriptor client;
    descriptor server;
    bool client_gone = false; ///< cut by a trap: what the server says is read and not delivered
    std::string from_client{};
    std::string from_server{};
    bool pushes = false; ///< has subscribed: replies cannot be told from messages any more
    passage to_server{};
    passage to_client{};
    std::deque<std::shared_ptr<trap_state>> awaiting{}; ///< one entry for each unanswered command; null: no trap

    passage& way(direction what) { return what == direction::to_server ? to_server : to_client; }
    bool dead() const { return !server && !client; }
};

/// Everything below `mutex` is guarded by it; the loop polls without it.
struct proxy_core {
    temporary_folder folder;
    endpoint address;
    descriptor listener;
    descriptor wake_up;

    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    endpoint server;
    std::array<pipe_settings, 2> settings{};
    bool refuse = false;
    bool ending = false;
    std::vector<std::shared_ptr<proxy_link>> links;
    std::vector<std::shared_ptr<trap_state>> traps;
    std::vector<words> commands;

    std::thread loop;

    explicit proxy_core(endpoint where);
    ~proxy_core();
    void run();
    void kick() const;
    pipe_settings& of(direction what) { return settings[static_cast<std::size_t>(what)]; }

    void accept_one();
    void read_client(proxy_link& link, std::shared_ptr<proxy_link> const& self);
    void read_server(proxy_link& link);
    void take_command(proxy_link& link, std::shared_ptr<proxy_link> const& self, std::string bytes);
    void take_reply(proxy_link& link, std::string bytes);
    void send_due(proxy_link& link, direction what, proxy_clock::time_point now);
    void end_client(proxy_link& link, cut how);
    void end_server(proxy_link& link);
    void end_both(proxy_link& link, cut how);
    void pass_on(proxy_link& link, direction what, std::string bytes);
    int poll_timeout(proxy_clock::time_point now) const;
};

} // namespace redlatch::test
