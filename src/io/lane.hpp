// A lane: one connection to the server, shared by all callers, reconnecting by itself.
//
// A wire (a non-blocking socket, encrypted or not), one mutex, a protocol (the multiplexer or the subscription registry) and
// two roles. Whoever has something to send writes for all; one waiting caller reads for all. So one thread alone pays what a
// private blocking socket pays, and many threads share batches. The reactor reads when no caller does.
//
//     link  up | lost | down | closed      read  none | caller(c) | armed | reading      write  none | busy | blocked
//     At every unlock while link = up:
//      I1 an answer is due                => read != none
//      I2 bytes are staged                => write != none, or the reader was told to write them before it polls, or the
//                                            reactor writes them at the end of its iteration
//      I3 write = blocked                 => read != none
//      I4 receive and poll only by the holder of the read role, send only by the holder of the write role,
//         close(fd) only with read in {none, armed} and write != busy
//
//     event (under the mutex)    read                           write          then
//     submit                     none -> armed, unless the      none -> busy   send, until nothing is staged
//                                caller goes on to wait
//       > 16 due, a caller reads  tell the reader once          stays          the reader writes before it polls
//       within its iteration, as above                          stays          sent at its end, all in one piece
//       link != up                                                             kept for the next connection
//     EAGAIN                     armed: arm with IN|OUT         busy -> blocked
//     EOF, error, silence: lose  the holder keeps it until it   blocked->none  link = lost; calls wait for the next
//                                leaves                                        connection; tell the reader; post retire
//     wait, not yet satisfied    none|armed -> caller(me), if up               poll, recv, look; else park
//     leave(holder)              link != up: none, post retire; else the oldest unsatisfied parked caller; else armed if
//                                something is due or staged; else none
//     epoll event                armed -> reading: recv once, leave; otherwise it counts for nothing, but for the end of a
//                                connection that nobody reads
//     tick (20 ms, while in use) none -> armed, or, where only messages may come that nobody waits for, stays, and the
//                                reactor watches for the end; armed or caller, and nothing due -> the tick ends; silent too
//                                long -> lose; armed, but epoll_ctl refused -> arm again
//     retire (reactor)           read in {none, armed} and write != busy: close, link = down; otherwise whoever leaves last
//                                posts it again; once the link is closed, that one closes the descriptor itself.
//                                Then a new connection: at once after one that answered, else after a growing pause; none
//                                while the lane rests
//     connected                  link = up; greet, send, leave
//     move_to (reactor)          up elsewhere -> lose; an attempt elsewhere, or a pause, ends, and a new attempt begins
//     close                      link = closed; everything ends with "closed"; the last role closes the descriptor
// epoll_ctl happens under the mutex; send, receive, poll and waking never do: encryption has a mutex of its own. Never two
// of our mutexes at once.
#pragma once

#include "base/function_ref.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "base/waker.hpp"
#include "connection/connect_op.hpp"
#include "connection/traffic.hpp"
#include "io/connector.hpp"
#include "io/endpoint.hpp"
#include "io/locator.hpp"
#include "io/login.hpp"
#include "io/parker.hpp"
#include "io/reactor.hpp"
#include "io/tls/tls_client.hpp"
#include "io/unique_fd.hpp"
#include "io/wire.hpp"
#include "resp/reader.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::io {

struct watched_attempt;

class lane final : public event_target, public runnable, public std::enable_shared_from_this<lane> {
public:
    struct settings {
        endpoint where; ///< where there are `places`: all but its host and port
        connection::greeting words;
        base::milliseconds timeout{3'000};
        base::milliseconds connect_timeout{10'000};
        base::milliseconds longest_pause{1'000};
        base::milliseconds ping_interval{30'000};
        std::uint64_t seed = 0;
        std::shared_ptr<tls_client> tls{}; ///< null: without, or known with the place
        std::shared_ptr<locator> places{}; ///< asked before each attempt; null: the server is at `where`
        std::shared_ptr<login> who{};      ///< asked at each connect for user and password; null: those in `words`
    };
    /// What the owner wants to hear; called without the mutex, on the reactor or (for the first connection) the connecting
    /// thread.
    struct hooks {
        std::function<void(connection::identity const&)> connected{};
        std::function<void(std::string const& reason)> lost{};
        std::function<void()> failed{}; ///< on the reactor: a connection could not be made
        std::function<void(std::vector<connection::missing_right> const&)> missing_rights{}; ///< on the reactor
        std::function<void()> late_replies{}; ///< there are late replies to take; posted to the reactor
    };
    /// Is there something for the caller to do? Asked under the mutex.
    using condition = base::function_ref<bool()>;

    lane(std::shared_ptr<reactor> reactor, settings config, std::shared_ptr<connection::traffic> carried,
         hooks to_tell);
    ~lane();

    /// Connects on the calling thread. False: failed, see `problem`. The time of looking its name up is added to `until`.
    bool connect_now(base::instant& until, errc& reason, std::string& problem);

    /// Runs `act` under the mutex, then sends what it staged. With `will_wait`, the caller promises to call wait() next.
    void submit(base::function_ref<void()> act, bool will_wait) { submit(act, will_wait, lease_clock::now()); }
    /// The same for a caller who has just looked at the clock.
    void submit(base::function_ref<void()> act, bool will_wait, base::instant now);
    /// Runs `act` under the mutex.
    void with(base::function_ref<void()> act);

    /// Until `ready` or `until`; reads for everybody if nobody does. True: ready.
    bool wait(parker& me, condition ready, base::instant until);

    /// Reads what is there, unless somebody does already. Does not wait.
    void catch_up();

    /// Nothing was heard since then; for a lane that is up and owed nothing: now.
    base::instant unheard_since();
    /// The same, but of one that was never up: now. It was not silent.
    base::instant silent_since();
    /// Why the server cannot be reached, or empty.
    std::string trouble();
    /// The latest attempt has led to no connection, or to one that has broken before it answered anything.
    bool cannot_connect();
    /// Drops the connection and makes a new one: the server told us that it is not the one to ask.
    void reconnect(std::string const& reason) {
        reconnect(reason, [] { return true; });
    }
    /// The same if `still` says so, asked under the mutex.
    void reconnect(std::string const& reason, condition still);
    /// On the reactor: the server is there. A connection to another place is given up. `news`: it has just moved there, so
    /// that the place has to be asked for anew by who is connecting, and at once.
    void move_to(endpoint const& there, std::string const& reason, bool news);

    /// Nobody needs this server for now: the connection ends, and none is made. False: from the next submit() on it is.
    void rest(bool resting);

    void close();
    /// Of the server that it is connected to, or was; for messages.
    std::string display();

private:
    enum class link { up, lost, down, closed };
    enum class read { none, caller, armed, reading };
    enum class write { none, busy, blocked };
    enum class attempt_end { connected, failed, moved };
    using lock = std::unique_lock<std::mutex>;
    struct parked {
        parker* who;
        condition ready;
    };
    /// What is to be done once the mutex is released.
    struct afterwards {
        base::wake_list woken{};
        bool retire = false;
        bool start_tick = false;
        bool late = false;
        bool refused = false; ///< rights are missing
        bool connect = false;
        bool thread = false; ///< the reactor is to connect, and has none yet
        bool gather = false;
        std::string lost_because{};
        /// Where an exception leaves the others: they have been promised to be woken.
        ~afterwards() { woken.wake_all(); }
        bool pending() const noexcept {
            return retire || start_tick || late || refused || connect || thread || gather || !lost_because.empty();
        }
    };

    void on_event(std::uint32_t events) override;
    void run() override; ///< the end of the reactor's iteration
    void on_tick();
    void on_ping_time(std::uint64_t epoch);
    void retire();
    void close_descriptor() noexcept;
    attempt_end connect_to_now(locator::place const& there, locator::place& elsewhere, base::instant& until,
                               errc& reason, std::string& problem);
    void begin_connecting();
    void tell_of_missing_rights();
    void locate_elsewhere();
    void connect_to(locator::place const& there, std::vector<address> addresses, std::string const& problem);
    void on_attempt_ended(locator::place const& there, watched_attempt& attempt, connector::progress progress);
    void on_connect_failed(std::string const& problem);
    connection::greeting words() const;
    void connect_after(base::milliseconds pause);
    base::milliseconds next_pause();
    bool make_bell(std::string& problem);
    /// False: it cannot be used, and `problem` says why.
    bool up(wire fresh, connection::identity const& self, endpoint const& endpoint, std::string& problem);

    bool wait(lock& held, afterwards& next, parked& place, base::instant until);
    void give_up_reading(afterwards& next);
    void settle(lock& held, afterwards& next, parker const* me = nullptr);
    void flush(lock& held, afterwards& next, parker const* me);
    void send_all(lock& held, afterwards& next);
    void lead(lock& held, afterwards& next, parker& me, base::instant until);
    void receive(lock& held, afterwards& next);
    void take(long count, std::string const& failure, afterwards& next);
    void leave(afterwards& next);
    void lose(afterwards& next, std::string_view reason) noexcept;
    void arm();
    void arm_at_leisure();
    void watch_for_end();
    void watch(std::uint32_t events);
    bool silent(base::instant now) const noexcept;
    base::instant silent_at() const noexcept;
    void note_due(base::instant now) noexcept;
    std::size_t room() const noexcept {
        return settings_.where.tls ? wire::encrypted_receive_size : wire::receive_size;
    }
    bool can_retire() const noexcept { return (read_ == read::none || read_ == read::armed) && write_ != write::busy; }

    std::shared_ptr<reactor> const reactor_;
    settings const settings_;
    hooks const hooks_;

    std::shared_ptr<connection::traffic> const traffic_;

    std::mutex mutex_; // guards what follows, and the traffic
    link link_ = link::down;
    read read_ = read::none;
    write write_ = write::none;
    wire wire_;
    unique_fd bell_; ///< for parker::poll; made with the first connection
    parker* reader_ = nullptr;
    bool reader_told_ = false;
    bool gathering_ = false; ///< until the end of the reactor's iteration
    std::vector<parked*> parked_;
    resp::reader replies_;
    std::string sending_; ///< the write role's own, as is sent_
    std::size_t sent_ = 0;
    std::unique_ptr<char[]> incoming_; ///< the read role's own; made when there is a connection
    bool registered_ = false;
    bool watches_end_ = false; ///< unless armed: the reactor is told of the connection's end, and of nothing else
    bool unwatched_ = false;   ///< armed, but the kernel did not take it: each tick tries again
    std::uint64_t token_ = 0;
    std::uint64_t epoch_ = 0;
    bool ticking_ = false;
    bool connecting_ = false;
    bool resting_ = false;
    bool moved_ = false;       ///< while connecting, to another place
    reactor::timer pause_ = 0; ///< before the next attempt; zero: none
    endpoint where_;           ///< of the connection, or the attempt
    int failures_ = 0;         ///< attempts in a row that led to no connection, or to one that answered nothing
    base::random_source random_;
    base::instant heard_{};     ///< the last byte, or the connection's beginning
    base::instant due_since_{}; ///< something has been due since then
    base::instant trouble_since_{};
    std::string trouble_;
    std::shared_ptr<watched_attempt> attempt_; ///< under way, on the reactor
};

} // namespace redlatch::io
