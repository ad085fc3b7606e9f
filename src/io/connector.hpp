// One attempt to reach the server: resolve, connect, shake hands where there is TLS, greet. Driven by readiness, so that a
// blocked caller and the reactor can both drive it.
#pragma once

#include "base/function_ref.hpp"
#include "base/time.hpp"
#include "connection/connect_op.hpp"
#include "io/endpoint.hpp"
#include "io/tls/tls_client.hpp"
#include "io/wire.hpp"
#include "resp/reader.hpp"

#include <redlatch/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace redlatch::io {

/// A socket address of any family.
struct address {
    sockaddr_storage bytes{};
    socklen_t length = 0;
    int family = 0;
};

/// The addresses of an endpoint. Blocks if it has to ask a name server and `numeric_only` is not set; empty: not resolved,
/// `problem` says why.
std::vector<address> resolve(endpoint const& endpoint, bool numeric_only, std::string& problem);

class connector {
public:
    enum class progress { waiting, ready, failed };

    /// `tls`: null, for a connection without it.
    connector(endpoint endpoint, std::vector<address> addresses, connection::greeting const& words,
              std::shared_ptr<tls_client> tls = nullptr);

    /// Before anything else: the time for all addresses. Each gets its share of what is left: one that does not answer is not
    /// to use up the time of the others.
    void give_until(base::instant until) noexcept { until_ = until; }
    /// Call at first, and whenever fd() is ready for events().
    progress advance();
    /// The address that is being tried has time until then, or is tried again then; call on_time_over() after that.
    base::instant due_at() const noexcept { return step_ == step::pausing ? again_at_ : address_deadline_; }
    progress on_time_over();

    /// Negative: there is nothing to wait for but due_at().
    int fd() const noexcept { return wire_.fd(); }
    /// poll(2) events to wait for.
    short events() const noexcept { return wants_; }

    /// After ready.
    wire take_wire() noexcept { return std::move(wire_); }
    connection::identity const& self() const noexcept { return greeting_->self(); }

    /// After failed: a message that names the server.
    errc reason() const noexcept { return reason_; }
    std::string const& problem() const noexcept { return problem_; }
    void fail(errc reason, std::string const& problem);
    /// There is no more time for it.
    void expire();

private:
    progress try_next_address();
    progress try_address();
    progress finish_connecting();
    progress begin_talking();
    progress shake_hands();
    progress send_greeting();
    progress read_greeting();
    progress failed(errc reason, std::string const& problem);
    progress broken(int problem);
    int what_it_said_before(int problem);
    void hear(resp::value const& reply);
    std::string why_it_left() const;

    enum class step { idle, pausing, connecting, shaking_hands, sending, reading };
    endpoint where_;
    std::vector<address> addresses_;
    std::size_t next_address_ = 0;
    base::instant until_ = base::never;
    base::instant address_deadline_ = base::never;
    base::instant again_at_ = base::never; ///< of pausing
    connection::greeting words_;
    std::shared_ptr<tls_client> tls_;
    std::optional<connection::connect_op> greeting_;
    resp::reader replies_;
    std::string said_; ///< the first error among the replies
    std::size_t sent_ = 0;
    step step_ = step::idle;
    short wants_ = 0;
    wire wire_;
    errc reason_ = errc::disconnected;
    std::string problem_;
};

/// Connects on the calling thread, or says why not in `out` and returns false.
bool connect_blocking(connector& out, base::instant until);
/// The same. While it goes on, `is_wanted` is asked every `interval`: false ends it, with nothing in `out`.
bool connect_blocking(connector& out, base::instant until, base::milliseconds interval,
                      base::function_ref<bool()> is_wanted);

} // namespace redlatch::io
