#include "io/connector.hpp"

#include "base/error_text.hpp"
#include "io/parker.hpp"
#include "io/uri_text.hpp"

#include <redlatch/lease_clock.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string_view>
#include <sys/un.h>

namespace redlatch::io {

std::vector<address> resolve(endpoint const& endpoint, bool numeric_only, std::string& problem) {
    std::vector<address> found;
    if (endpoint.unix_socket) {
        sockaddr_un socket{};
        socket.sun_family = AF_UNIX;
        if (endpoint.host_or_path.size() >= sizeof socket.sun_path) {
            problem = "the path of the socket is too long";
            return found;
        }
        std::memcpy(socket.sun_path, endpoint.host_or_path.data(), endpoint.host_or_path.size());
        address one;
        std::memcpy(&one.bytes, &socket, sizeof socket);
        one.length = sizeof socket;
        one.family = AF_UNIX;
        found.push_back(one);
        return found;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | (numeric_only ? AI_NUMERICHOST : 0);
    addrinfo* list = nullptr;
    auto const result =
        ::getaddrinfo(endpoint.host_or_path.c_str(), std::to_string(endpoint.port).c_str(), &hints, &list);
    if (result != 0) {
        problem = std::string("the host name cannot be resolved (") + ::gai_strerror(result) + ")";
        return found;
    }
    for (auto const* each = list; each != nullptr; each = each->ai_next) {
        address one;
        std::memcpy(&one.bytes, each->ai_addr, each->ai_addrlen);
        one.length = each->ai_addrlen;
        one.family = each->ai_family;
        found.push_back(one);
    }
    ::freeaddrinfo(list);
    return found;
}

namespace {

/// Between attempts to connect to a Unix socket whose queue is full: such a connection is refused, while one over TCP waits.
constexpr base::milliseconds queue_pause{10};

/// What a server that speaks TLS says to our greeting.
bool is_tls_alert(std::string_view bytes) {
    return bytes.starts_with("\x15\x03");
}

constexpr char const* in_vain = "did not answer in time";

} // namespace

connector::connector(endpoint endpoint, std::vector<address> addresses, connection::greeting const& words,
                     std::shared_ptr<tls_client> tls)
    : where_(std::move(endpoint)), addresses_(std::move(addresses)), words_(words), tls_(std::move(tls)) {}

void connector::fail(errc reason, std::string const& problem) {
    reason_ = reason;
    problem_ = (words_.to_sentinel ? "the Sentinel " : "the server ") + where_.display() + " " + problem;
    if (problem.starts_with("cannot be reached") || problem == in_vain) problem_ += where_.hint();
    wire_.reset();
}

void connector::expire() {
    char const* problem = in_vain;
    if (step_ == step::shaking_hands)
        problem = "did not answer the TLS handshake in time: does it speak TLS on this port?";
    if (step_ == step::pausing)
        problem = "did not take another connection in time: too many are waiting to be accepted";
    fail(errc::disconnected, problem);
}

connector::progress connector::on_time_over() {
    if (step_ == step::pausing && lease_clock::now() < address_deadline_) return try_address();
    expire();
    return next_address_ < addresses_.size() ? try_next_address() : progress::failed;
}

connector::progress connector::failed(errc reason, std::string const& problem) {
    fail(reason, problem);
    return progress::failed;
}

/// A server that does not want us says so and hangs up, perhaps before we have greeted: why is there to be read.
int connector::what_it_said_before(int problem) {
    std::array<char, wire::encrypted_receive_size>
        buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    auto const count = wire_.receive(buffer.data(), buffer.size());
    if (tls_ && count < 0 && errno == EPROTO) return EPROTO;
    if (count <= 0) return problem;
    replies_.feed({buffer.data(), static_cast<std::size_t>(count)});
    resp::value reply;
    if (replies_.next(reply) == resp::reader::result::value) hear(reply);
    return problem;
}

/// The first error is why a server hangs up: it may have come as the answer to what needs none.
void connector::hear(resp::value const& reply) {
    if (reply.is_error() && said_.empty()) said_ = printable(reply.text);
}

/// Why it may have hung up: in its own words, or else what is usual.
std::string connector::why_it_left() const {
    if (!said_.empty()) return ": it said '" + said_ + "'";
    if (where_.unix_socket || tls_) return " (too many clients, or protected mode?)";
    return " (too many clients, protected mode, or a port for TLS, which needs rediss://?)";
}

connector::progress connector::broken(int problem) {
    if (problem == EPROTO && tls_) return failed(wire_.reason(), wire_.problem());
    // A server that expects TLS hangs up on a greeting in plain text, as one does that has too many clients.
    bool const hung_up = problem == ECONNRESET || problem == EPIPE || !said_.empty();
    return failed(errc::disconnected,
                  "broke the connection: " + base::error_text(problem) + (hung_up ? why_it_left() : ""));
}

connector::progress connector::advance() {
    switch (step_) {
    case step::idle: return try_next_address();
    case step::pausing: return progress::waiting;
    case step::connecting: return finish_connecting();
    case step::shaking_hands: return shake_hands();
    case step::sending: return send_greeting();
    case step::reading: return read_greeting();
    }
    return progress::failed;
}

connector::progress connector::try_next_address() {
    if (next_address_ >= addresses_.size()) {
        if (problem_.empty()) fail(errc::disconnected, "cannot be reached: it has no address");
        return progress::failed;
    }
    if (until_ != base::never) {
        auto const now = lease_clock::now();
        address_deadline_ = now + (until_ - now) / static_cast<std::int64_t>(addresses_.size() - next_address_);
    }
    ++next_address_;
    return try_address();
}

/// The one before the next.
connector::progress connector::try_address() {
    auto const& to = addresses_[next_address_ - 1];
    greeting_.emplace(words_);
    replies_ = resp::reader({std::size_t{1} << 20, 4096});
    said_.clear();
    sent_ = 0;
    wire_ = wire(unique_fd(::socket(to.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    if (!wire_) {
        auto const problem = errno;
        bool const of_this_address = problem == EAFNOSUPPORT; // a system without IPv6
        // What is wrong with another address says more.
        if (!of_this_address || problem_.empty())
            fail(errc::disconnected, "cannot be reached: " + base::error_text(problem));
        return of_this_address ? try_next_address() : progress::failed;
    }
    if (to.family != AF_UNIX) {
        int const on = 1;
        ::setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::setsockopt(fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    }
    step_ = step::connecting;
    if (::connect(fd(), reinterpret_cast<sockaddr const*>(&to.bytes), to.length) == 0) return begin_talking();
    if (errno == EINPROGRESS) {
        wants_ = POLLOUT;
        return progress::waiting;
    }
    if (errno == EAGAIN && to.family == AF_UNIX) {
        wire_.reset();
        step_ = step::pausing;
        again_at_ = std::min(base::later(lease_clock::now(), queue_pause), address_deadline_);
        return progress::waiting;
    }
    fail(errc::disconnected, "cannot be reached: " + base::error_text(errno));
    return try_next_address();
}

connector::progress connector::finish_connecting() {
    int problem = 0;
    socklen_t size = sizeof problem;
    ::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &problem, &size);
    if (problem != 0) {
        fail(errc::disconnected, "cannot be reached: " + base::error_text(problem));
        return try_next_address();
    }
    return begin_talking();
}

connector::progress connector::begin_talking() {
    if (!tls_) return send_greeting();
    try {
        wire_ = wire(wire_.take_fd(), tls_->begin());
    } catch (error const& problem) {
        return failed(problem.reason(), std::string("cannot be reached: ") + problem.what());
    }
    step_ = step::shaking_hands;
    return shake_hands();
}

connector::progress connector::shake_hands() {
    switch (wire_.shake_hands()) {
    case wire::handshake::wants_to_read: wants_ = POLLIN; return progress::waiting;
    case wire::handshake::wants_to_write: wants_ = POLLOUT; return progress::waiting;
    case wire::handshake::done: return send_greeting();
    case wire::handshake::ended:
        return failed(errc::disconnected,
                      "closed the connection during the TLS handshake (does it speak TLS on this port?)");
    case wire::handshake::broken:
        return failed(errc::disconnected, "broke the connection during the TLS handshake: " + base::error_text(errno));
    case wire::handshake::failed: return failed(wire_.reason(), wire_.problem());
    }
    return progress::failed;
}

connector::progress connector::send_greeting() {
    step_ = step::sending;
    auto const& bytes = greeting_->bytes();
    while (sent_ < bytes.size()) {
        auto const count = wire_.send(bytes.data() + sent_, bytes.size() - sent_);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            wants_ = POLLOUT;
            return progress::waiting;
        }
        if (count < 0) return broken(what_it_said_before(errno));
        sent_ += static_cast<std::size_t>(count);
    }
    step_ = step::reading;
    wants_ = POLLIN;
    return progress::waiting;
}

connector::progress connector::read_greeting() {
    std::array<char, wire::encrypted_receive_size>
        buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    auto const count = wire_.receive(buffer.data(), buffer.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return progress::waiting;
    if (count < 0) return broken(errno);
    if (count == 0) return failed(errc::disconnected, "closed the connection" + why_it_left());
    if (!tls_ && is_tls_alert({buffer.data(), static_cast<std::size_t>(count)}))
        return failed(errc::bad_reply, "speaks TLS on this port: use rediss:// instead of redis://");
    replies_.feed({buffer.data(), static_cast<std::size_t>(count)});
    for (;;) {
        resp::value reply;
        switch (replies_.next(reply)) {
        case resp::reader::result::need_more: return progress::waiting;
        case resp::reader::result::broken:
            return failed(errc::bad_reply, "does not speak the Redis protocol: " + replies_.problem());
        case resp::reader::result::value: hear(reply); break;
        }
        switch (greeting_->on_reply(reply)) {
        case connection::connect_op::progress::more: break;
        case connection::connect_op::progress::ready: return progress::ready;
        case connection::connect_op::progress::failed: return failed(greeting_->reason(), greeting_->problem());
        }
    }
}

bool connect_blocking(connector& out, base::instant until) {
    return connect_blocking(out, until, base::milliseconds::max(), [] { return true; });
}

bool connect_blocking(connector& out, base::instant until, base::milliseconds interval,
                      base::function_ref<bool()> is_wanted) {
    out.give_until(until);
    auto ask_at = base::later(lease_clock::now(), interval);
    auto progress = out.advance();
    while (progress == connector::progress::waiting) {
        auto const left = time_left(std::min(out.due_at(), ask_at));
        if (left == base::nanoseconds::zero()) {
            if (time_left(out.due_at()) == base::nanoseconds::zero()) {
                progress = out.on_time_over();
            } else {
                if (!is_wanted()) return false;
                ask_at = base::later(lease_clock::now(), interval);
            }
            continue;
        }
        constexpr std::int64_t second = 1'000'000'000;
        timespec const limit{static_cast<std::time_t>(left.count() / second), static_cast<long>(left.count() % second)};
        pollfd one{out.fd(), out.events(), 0};
        if (::ppoll(&one, 1, left.count() < 0 ? nullptr : &limit, nullptr) > 0) progress = out.advance();
    }
    return progress == connector::progress::ready;
}

} // namespace redlatch::io
