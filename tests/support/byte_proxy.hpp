// A proxy between a client and its server that the test can make hold back, lose, delay, cut - and deliver late.
//
// It is the instrument for one fact: order is certain within one connection and within none else. A request on a
// connection that seemed lost can still reach the server after later requests on a new one. So:
//
//     byte_proxy proxy{server.address()};
//     auto trap = proxy.hold_tail(a_script(scripts::lock_release), 10);   // 10 bytes arrive, the rest is kept
//     ...                                                                 // the client releases
//     trap.wait();  trap.cut_client();                                    // the client sees its connection end and
//     tries again trap.deliver();                                                     // and now the late bytes arrive
//
// Commands are recognised in the stream from the client and are passed on whole. Traps are one-shot and act on the
// first matching command after they were set, in the order in which they were set.
#pragma once

#include "support/endpoint.hpp"
#include "support/wait_until.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::locking {
struct script;
}

namespace redlatch::test {

using words = std::vector<std::string>;
using matcher = std::function<bool(words const&)>;

/// By name, without regard to case; two words ("CLIENT KILL") match a command and its subcommand.
matcher a_command(std::string name);
/// EVALSHA or EVAL of this script.
matcher a_script(locking::script const& which);
/// Any of EVAL, EVALSHA.
matcher any_script();
/// A first acquisition, by RESTORE or by script.
matcher an_acquisition();
/// A last release, by HDEL (PUBLISH comes behind it) or by script.
matcher a_release();
/// Any of EVAL, EVALSHA, RESTORE, HDEL.
matcher any_lock_call();
/// Every command.
matcher anything();

enum class direction { to_server, to_client };
enum class cut { close, reset };

struct proxy_core;
struct trap_state;

/// What became of one trapped command. Copies share it. Thread-safe.
class proxy_trap {
public:
    explicit proxy_trap(std::shared_ptr<proxy_core> core, std::shared_ptr<trap_state> state);

    /// The command has come, and what the trap does to it has been done.
    bool wait(std::chrono::milliseconds limit = patience) const;
    bool sprung() const;

    /// Ends the client's side of that connection; the server's side stays open.
    void cut_client(cut how = cut::close) const;
    /// Ends the server's side too; held bytes are gone.
    void cut_server() const;
    /// Delivers what is held, if the server's side is still open, or the reply, if the client's side is.
    void deliver() const;

    /// Of a command that reached the server whole: answered, or refused to be because the server ended the connection.
    enum class fate { open, answered, ended };
    fate what_happened() const;
    /// Waits for something else than `open`.
    fate wait_fate(std::chrono::milliseconds limit = patience) const;

private:
    std::shared_ptr<proxy_core> core_;
    std::shared_ptr<trap_state> state_;
};

class byte_proxy {
public:
    /// Listens by the same kind of transport as the server's.
    explicit byte_proxy(endpoint server);
    byte_proxy(byte_proxy const&) = delete;
    byte_proxy& operator=(byte_proxy const&) = delete;
    ~byte_proxy();

    endpoint const& address() const noexcept;
    std::string uri() const { return address().uri(); }

    // Everything, on all connections, also new ones.
    void hold(direction what); ///< deliver nothing until pass()
    void pass(direction what); ///< deliver what was held, and let pass
    void drop(direction what); ///< lose everything until pass()
    void delay(direction what, std::chrono::milliseconds by);
    void refuse_connections(bool refuse); ///< accept and close at once
    void cut_all(cut how = cut::close);   ///< both sides of every connection
    void redirect(endpoint server);       ///< new connections lead there; by the same kind of transport

    // The next matching command.
    /// `first` bytes of it arrive; the rest, and all that follows on that connection, is kept.
    proxy_trap hold_tail(matcher which, std::size_t first);
    /// The command is delivered, its reply and all that follows is kept from the client.
    proxy_trap hold_reply(matcher which);
    /// The command is delivered; the client gets these bytes in place of the reply.
    proxy_trap replace_reply(matcher which, std::string bytes);
    /// The command is not delivered, and both sides are cut.
    proxy_trap cut_before(matcher which, cut how = cut::close);
    /// The command is delivered; when its reply comes it is lost and both sides are cut.
    proxy_trap cut_after(matcher which, cut how = cut::close);

    // What has passed, in the order of its coming.
    std::vector<words> commands() const;
    std::size_t count(matcher which) const;
    void forget_commands();
    std::size_t connections() const; ///< with an open client's side

private:
    std::shared_ptr<proxy_core> core_;
};

} // namespace redlatch::test
