// Sockets and what lies between them: delay, silence, broken connections, and bytes that arrive after all.
//
// A connection is two streams. What is sent arrives in order after a delay; a link that is blocked keeps it until it heals, as
// retransmission does. A connection that was cut is over for its client at once, while bytes on their way may still reach the
// server, much later too.
#pragma once

#include "io/reactor.hpp"
#include "sim/world/half_sent.hpp"
#include "sim/world/world.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::sim {

class server_host;

/// Between one process and one server.
struct link {
    moment least_delay{50'000};
    moment most_delay{150'000};
    bool up_blocked = false;                     ///< towards the server
    bool down_blocked = false;                   ///< towards the process
    bool refuses = false;                        ///< new connections are refused
    std::optional<struct half_sent> half_sent{}; ///< each other release is sent so
};

struct tcp_connection {
    std::uint64_t number = 0;
    process* client = nullptr;
    int server = 0; ///< which one, by number
    int fd = -1;    ///< of the client's end; -1: closed
    std::string address;
    std::uint64_t server_run = 0; ///< which run of its server it belongs to
    std::uint64_t client_id = 0;  ///< the server's name for it; 0: not accepted, or over
    moment last_up{0};            ///< the latest arrival so far, by direction
    moment last_down{0};
    bool gone = false;   ///< what is on its way up will not arrive
    bool silent = false; ///< nor will anything on its way down
    struct parcel {
        std::string bytes;
        std::function<void()> arrives;
    };
    std::deque<parcel> held_up{}; ///< what a blocked link keeps
    std::deque<parcel> held_down{};
};

class network {
public:
    explicit network(world& in) : world_(in) {}

    /// The next server: the first has number 0.
    void attach(server_host& server) { servers_.push_back(&server); }
    link& link_of(process const& who, int server = 0) { return links_[{who.number, server}]; }

    // The socket calls; results and errno as the real ones have them.
    int open_socket();
    int open_bell(); ///< an eventfd
    /// `server`: its number, or one of these.
    static constexpr int refusing = -1;    ///< a host without a server
    static constexpr int unreachable = -2; ///< no host: nobody answers
    int connect(int fd, int server);
    long send(int fd, char const* bytes, std::size_t size);
    long receive(int fd, char* into, std::size_t size);
    int pending_error(int fd);
    void close(int fd);
    /// Of an eventfd: it can be read from now on.
    void ring(int fd);

    // Readiness.
    void arm(int fd, std::uint32_t events, std::uint64_t token, io::reactor* loop);
    void disregard(int fd);
    /// What of `events` (POLLIN, POLLOUT) the socket is ready for.
    short ready(int fd, short events) const;
    /// Wakes this fiber when the socket changes; null: nobody.
    void watch(int fd, fiber* who);

    // For the server.
    void reply(std::shared_ptr<tcp_connection> const& on, std::string const& bytes);
    void finish(std::shared_ptr<tcp_connection> const& on); ///< the server closes it, behind what it has sent

    // Faults, between a process and one server.
    void block(process const& who, int server, bool up, bool down);
    void heal(process const& who, int server);
    /// Cuts their connections: the process sees it now, the server after `server_notices`; what was on its way up arrives after
    /// `bytes_late`, unless it is negative: then it is gone.
    void cut(process const& who, int server, moment server_notices, moment bytes_late);
    /// Nothing comes through any more, and nobody is told but the server, late.
    void silence(process const& who, int server, moment server_notices);
    /// The process can open nothing, or can again.
    enum class descriptors : std::uint8_t { there, none, sockets_only };
    void leave_descriptors(process const& who, descriptors which);
    enum class sending : std::uint8_t { free, little, nothing };
    /// How much the sockets of a process take.
    void limit_sending(process const& who, sending how);
    /// A server's machine is away, and tells nobody; or is back.
    void vanish(int server);
    void appear(int server) { gone_.erase(server); }
    bool is_away(int server) const { return gone_.contains(server); }
    /// The machine of a server resets everything: its clients see it after a delay.
    void reset_all(int server);
    /// The process is dead: its kernel closes its sockets.
    void close_all(process const& who);

    /// Of the address of a client's end.
    static std::optional<int> process_at(std::string_view address);
    std::size_t open_sockets(process const& who) const;
    std::function<void(tcp_connection const&, bool up, std::string_view bytes)> on_bytes{};
    /// A connection of this process was refused or has broken, and it sees that.
    std::function<void(process const& whose, int server)> on_failed{};
    /// Commands that are sent in one go arrive one by one: something may happen between them.
    bool one_by_one = false;
    /// When this process last sent a release of which only the first half got through at once; negative: never.
    moment last_half(process const& who) const;
    /// When the last of the second halves arrives. Each is late behind the one before it, so it may be long after the fault.
    moment halves_arrive() const noexcept { return halves_arrive_; }

    static constexpr int first_fd = 1'000'000;

private:
    struct socket {
        process* owner = nullptr;
        std::shared_ptr<tcp_connection> line{};
        bool connecting = false;
        bool connected = false;
        int error = 0;
        bool ended = false; ///< the other side has closed
        std::string inbound{};
        std::uint32_t armed = 0;
        std::uint64_t token = 0;
        io::reactor* loop = nullptr;
        fiber* watcher = nullptr;
        moment full_until{-1}; ///< of its buffer, while it takes little
    };
    bool takes_bytes(socket const& which) const;
    bool is_between(socket const& which, process const& who, int server) const;
    link& link_of(tcp_connection const& on) { return link_of(*on.client, on.server); }
    server_host& server_of(tcp_connection const& on) { return *servers_.at(static_cast<std::size_t>(on.server)); }
    socket* find(int fd);
    socket const* find(int fd) const;
    void changed(socket& which, int fd);
    moment arrival(tcp_connection& on, bool up);
    /// `bytes`: what is carried, or a word that stands for it.
    void carry_up(std::shared_ptr<tcp_connection> const& on, std::string_view bytes, std::function<void()> what);
    void carry_down(std::shared_ptr<tcp_connection> const& on, std::string_view bytes, std::function<void()> what);
    void send_half(socket const& from, std::string_view bytes, std::size_t first, half_sent const& how);
    void accept(std::shared_ptr<tcp_connection> const& on);
    void fail(int fd, int error);
    void shut(socket const& which, moment server_notices, moment bytes_late);

    world& world_;
    std::vector<server_host*> servers_;
    std::map<std::pair<int, int>, link> links_; ///< by process and server
    std::map<int, socket> sockets_;
    std::vector<std::shared_ptr<tcp_connection>> kept_; ///< those of which a blocked link keeps something
    std::map<int, sending> limits_;                     ///< by process; none: free
    std::set<int> without_descriptors_;                 ///< processes
    std::set<int> without_bells_;                       ///< processes that get no eventfd
    std::set<int> gone_;                                ///< servers whose machine is away
    std::map<int, moment> last_halves_;                 ///< by process
    moment halves_arrive_{0};
    int last_fd_ = first_fd;
    std::uint64_t last_connection_ = 0;
};

} // namespace redlatch::sim
