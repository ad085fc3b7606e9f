#include "sim/world/network.hpp"

#include "sim/world/seams.hpp"
#include "sim/world/server_host.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <poll.h>
#include <sys/epoll.h>

namespace redlatch::sim {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view processes_net = "10.0.0.";

} // namespace

network::socket* network::find(int fd) {
    auto const found = sockets_.find(fd);
    return found == sockets_.end() ? nullptr : &found->second;
}

network::socket const* network::find(int fd) const {
    auto const found = sockets_.find(fd);
    return found == sockets_.end() ? nullptr : &found->second;
}

std::optional<int> network::process_at(std::string_view address) {
    int host = 0;
    if (!address.starts_with(processes_net)) return std::nullopt;
    std::from_chars(address.data() + processes_net.size(), address.data() + address.size(), host);
    return host - 2;
}

// --- delays

moment network::arrival(tcp_connection& on, bool up) {
    if (!world_.by_chance()) return world_.now();
    auto const& by = link_of(on);
    auto& last = up ? on.last_up : on.last_down;
    last = std::max(last, world_.now() + world_.between(by.least_delay, by.most_delay));
    return last;
}

void network::carry_up(std::shared_ptr<tcp_connection> const& on, std::string_view bytes, std::function<void()> what) {
    if (link_of(*on).up_blocked || !on->held_up.empty()) {
        kept_.push_back(on);
        on->held_up.push_back({std::string(bytes), std::move(what)});
        return;
    }
    world_.carry(arrival(*on, true), on->number * 2, std::hash<std::string_view>()(bytes), nullptr, std::move(what));
}

void network::carry_down(std::shared_ptr<tcp_connection> const& on, std::string_view bytes,
                         std::function<void()> what) {
    if (link_of(*on).down_blocked || !on->held_down.empty()) {
        kept_.push_back(on);
        on->held_down.push_back({std::string(bytes), std::move(what)});
        return;
    }
    world_.carry(arrival(*on, false), on->number * 2 + 1, std::hash<std::string_view>()(bytes), &on->client->heard,
                 std::move(what));
}

// --- socket calls

int network::open_socket() {
    if (without_descriptors_.contains(world_.current()->number)) {
        errno = EMFILE;
        return -1;
    }
    auto const fd = ++last_fd_;
    sockets_[fd].owner = world_.current();
    return fd;
}

int network::open_bell() {
    if (!without_bells_.contains(world_.current()->number)) return open_socket();
    errno = EMFILE;
    return -1;
}

int network::connect(int fd, int server) {
    auto& mine = *find(fd);
    mine.connecting = true;
    mine.line = std::make_shared<tcp_connection>();
    auto& line = *mine.line;
    line.number = ++last_connection_;
    line.client = mine.owner;
    line.server = server;
    line.fd = fd;
    line.address = std::string(processes_net) + std::to_string(mine.owner->number + 2) + ":"
                   + std::to_string(30'000 + line.number % 30'000);
    if (server >= std::ssize(servers_)) server = line.server = refusing;
    if (server == refusing) carry_down(mine.line, "refused", [this, on = mine.line] { fail(on->fd, ECONNREFUSED); });
    if (server >= 0) carry_up(mine.line, "connect", [this, on = mine.line] { accept(on); });
    errno = EINPROGRESS;
    return -1;
}

void network::accept(std::shared_ptr<tcp_connection> const& on) {
    if (on->fd < 0 || gone_.contains(on->server)) return; // it has given up meanwhile; nobody is there
    if (link_of(*on).refuses || !server_of(*on).running()) {
        carry_down(on, "refused", [this, on] { fail(on->fd, ECONNREFUSED); });
        return;
    }
    server_of(*on).accept(on);
    carry_down(on, "accepted", [this, on] {
        auto* const mine = find(on->fd);
        if (mine == nullptr) return;
        mine->connecting = false;
        mine->connected = true;
        changed(*mine, on->fd);
    });
}

void network::fail(int fd, int error) {
    auto* const mine = find(fd);
    if (mine == nullptr) return;
    mine->error = error;
    mine->connecting = false;
    if (on_failed) on_failed(*mine->owner, mine->line->server);
    changed(*mine, fd);
}

long network::send(int fd, char const* bytes, std::size_t size) {
    auto* const mine = find(fd);
    if (mine == nullptr || mine->error != 0 || !mine->connected) {
        errno = mine != nullptr && mine->error != 0 ? std::exchange(mine->error, EPIPE) : EPIPE;
        return -1;
    }
    if (!takes_bytes(*mine)) {
        errno = EAGAIN;
        return -1;
    }
    if (!limits_.empty() && limits_.contains(mine->owner->number)) {
        size = std::min(size, 1 + static_cast<std::size_t>(world_.chance().up_to(39)));
        mine->full_until = world_.now() + world_.between(100us, 10ms);
        world_.at(mine->full_until, [this, fd] {
            if (auto* const later = find(fd)) changed(*later, fd);
        });
    }
    auto const taken = world_.by_chance() && world_.chance().up_to(199) == 0
                           ? 1 + static_cast<std::size_t>(world_.chance().up_to(static_cast<std::int64_t>(size) - 1))
                           : size;
    std::string_view rest(bytes, taken);
    if (on_bytes) on_bytes(*mine->line, true, rest);
    if (auto const& how = link_of(*mine->line).half_sent; how && !mine->line->gone) {
        auto const second =
            rest.find("*3\r\n$7\r\nPUBLISH\r\n"); // HDEL is before it, in this write or in an earlier one
        if (second != rest.npos && second > 0 && world_.chance().up_to(1) == 0) {
            send_half(*mine, rest, second, *how);
            return static_cast<long>(taken);
        }
    }
    while (!rest.empty()) {
        auto const next = one_by_one ? rest.find("\r\n*") : rest.npos; // in a value it only makes two parts of one
        std::string const part(rest.substr(0, next == rest.npos ? next : next + 2));
        rest.remove_prefix(part.size());
        carry_up(mine->line, part, [this, on = mine->line, part] {
            if (!on->gone) server_of(*on).deliver(on, part);
        });
    }
    return static_cast<long>(taken);
}

void network::send_half(socket const& from, std::string_view bytes, std::size_t first, half_sent const& how) {
    auto const& line = from.line;
    last_halves_[from.owner->number] = world_.now();
    bool const rest_is_lost = how.way == half_sent_way::rest_is_gone || how.way == half_sent_way::falls_silent;
    carry_up(line, bytes.substr(0, first), [this, line, part = std::string(bytes.substr(0, first)), rest_is_lost] {
        if (line->gone) return;
        server_of(*line).deliver(line, part);
        line->gone = rest_is_lost; // not before: what was sent earlier arrives
    });
    auto const carry_rest = [&] {
        line->last_up = std::max(line->last_up, world_.now()) + how.delay;
        halves_arrive_ = std::max(halves_arrive_, line->last_up);
        carry_up(line, bytes.substr(first), [this, line, part = std::string(bytes.substr(first))] {
            if (!line->gone) server_of(*line).deliver(line, part);
        });
    };
    switch (how.way) {
    case half_sent_way::stands_still: carry_rest(); return;
    case half_sent_way::rest_is_late: carry_rest(); break;
    case half_sent_way::rest_is_gone:
    case half_sent_way::falls_silent: break;
    }
    bool const told = how.way != half_sent_way::falls_silent;
    // The answer to the first half may come before the end.
    world_.at(world_.now() + world_.between(0ms, 1ms), [this, line, told, late = line->last_up, how] {
        auto* const mine = find(line->fd);
        if (mine == nullptr || mine->error != 0) return;
        line->last_up = std::max(late, world_.now() + how.delay);
        world_.carry(line->last_up, line->number * 2, 0, nullptr, [this, line] { server_of(*line).hang_up(line); });
        line->silent = !told;
        if (!told) return;
        mine->error = ECONNRESET;
        changed(*mine, line->fd);
    });
}

moment network::last_half(process const& who) const {
    auto const found = last_halves_.find(who.number);
    return found == last_halves_.end() ? -1ns : found->second;
}

long network::receive(int fd, char* into, std::size_t size) {
    auto* const mine = find(fd);
    if (mine == nullptr) {
        errno = EBADF;
        return -1;
    }
    if (!mine->inbound.empty()) {
        auto count = std::min(size, mine->inbound.size());
        if (count > 1 && world_.by_chance() && world_.chance().up_to(99) == 0)
            count = 1 + static_cast<std::size_t>(world_.chance().up_to(static_cast<std::int64_t>(count) - 2));
        std::memcpy(into, mine->inbound.data(), count);
        mine->inbound.erase(0, count);
        return static_cast<long>(count);
    }
    if (mine->error != 0) {
        errno = std::exchange(mine->error, 0);
        mine->ended = true;
        return -1;
    }
    if (mine->ended) return 0;
    errno = EAGAIN;
    return -1;
}

int network::pending_error(int fd) {
    auto* const mine = find(fd);
    return mine == nullptr ? EBADF : mine->error;
}

void network::close(int fd) {
    auto const found = sockets_.find(fd);
    if (found == sockets_.end()) return;
    auto const line = found->second.line;
    sockets_.erase(found);
    if (!line || line->fd < 0) return;
    line->fd = -1;
    if (line->server >= 0) carry_up(line, "the end", [this, line] { server_of(*line).hang_up(line); });
}

void network::ring(int fd) {
    auto* const mine = find(fd);
    if (mine == nullptr) return;
    mine->ended = true;
    if (mine->watcher != nullptr) world_.wake(*mine->watcher);
}

// --- readiness

short network::ready(int fd, short events) const {
    auto const* const mine = find(fd);
    if (mine == nullptr) return POLLNVAL;
    short seen = 0;
    bool const broken = mine->error != 0;
    if ((events & POLLIN) != 0 && (!mine->inbound.empty() || mine->ended || broken)) seen |= POLLIN;
    if ((events & POLLOUT) != 0 && ((mine->connected && takes_bytes(*mine)) || broken)) seen |= POLLOUT;
    if ((events & POLLRDHUP) != 0 && (mine->ended || broken)) seen |= POLLRDHUP;
    if (broken) seen |= POLLERR;
    return seen;
}

void network::changed(socket& which, int fd) {
    if (which.watcher != nullptr) world_.wake(*which.watcher);
    if (which.armed == 0) return;
    auto const seen = static_cast<std::uint32_t>(ready(fd, static_cast<short>(which.armed)));
    if (seen == 0) return;
    which.armed = 0;
    deliver_event(*which.loop, which.token, seen);
}

void network::arm(int fd, std::uint32_t events, std::uint64_t token, io::reactor* loop) {
    auto* const mine = find(fd);
    if (mine == nullptr) return;
    // EPOLLIN and POLLIN are the same numbers, and so are the others.
    mine->armed = events & static_cast<std::uint32_t>(EPOLLIN | EPOLLOUT | EPOLLRDHUP);
    mine->token = token;
    mine->loop = loop;
    changed(*mine, fd);
}

void network::disregard(int fd) {
    if (auto* const mine = find(fd)) mine->armed = 0;
}

void network::watch(int fd, fiber* who) {
    if (auto* const mine = find(fd)) mine->watcher = who;
}

// --- the server's side

void network::reply(std::shared_ptr<tcp_connection> const& on, std::string const& bytes) {
    carry_down(on, bytes, [this, on, bytes] {
        auto* const mine = find(on->fd);
        if (mine == nullptr || mine->error != 0 || mine->ended || on->silent) return;
        if (on_bytes) on_bytes(*on, false, bytes);
        mine->inbound += bytes;
        changed(*mine, on->fd);
    });
}

void network::finish(std::shared_ptr<tcp_connection> const& on) {
    carry_down(on, "the end", [this, on] {
        auto* const mine = find(on->fd);
        if (mine == nullptr || on->silent) return;
        mine->ended = true;
        changed(*mine, on->fd);
    });
}

// --- faults

bool network::is_between(socket const& which, process const& who, int server) const {
    return which.owner == &who && which.line && which.line->server == server;
}

void network::leave_descriptors(process const& who, descriptors which) {
    without_descriptors_.erase(who.number);
    without_bells_.erase(who.number);
    if (which == descriptors::none) without_descriptors_.insert(who.number);
    if (which != descriptors::there) without_bells_.insert(who.number);
}

void network::block(process const& who, int server, bool up, bool down) {
    auto& by = link_of(who, server);
    by.up_blocked |= up;
    by.down_blocked |= down;
}

void network::heal(process const& who, int server) {
    auto& by = link_of(who, server);
    by.up_blocked = by.down_blocked = false;
    for (auto const& line : std::exchange(kept_, {})) {
        if (line->client != &who || line->server != server) {
            kept_.push_back(line);
            continue;
        }
        for (auto& one : std::exchange(line->held_up, {})) carry_up(line, one.bytes, std::move(one.arrives));
        for (auto& one : std::exchange(line->held_down, {})) carry_down(line, one.bytes, std::move(one.arrives));
    }
}

void network::shut(socket const& which, moment server_notices, moment bytes_late) {
    auto const line = which.line;
    // What a blocked link kept goes with it, or arrives late, in order; the end of the stream comes behind it.
    auto held = std::exchange(line->held_up, {});
    line->held_down.clear();
    line->gone = bytes_late < 0ns;
    world_.put_last(line->number * 2);
    line->last_up = std::max(line->last_up, world_.now() + std::max(bytes_late, 0ns));
    for (auto& one : held)
        if (!line->gone)
            world_.carry(line->last_up, line->number * 2, std::hash<std::string>()(one.bytes), nullptr,
                         std::move(one.arrives));
    line->last_up = std::max(line->last_up, world_.now() + server_notices);
    world_.carry(line->last_up, line->number * 2, 0, nullptr, [this, line] { server_of(*line).hang_up(line); });
}

void network::cut(process const& who, int server, moment server_notices, moment bytes_late) {
    for (auto& [fd, one] : sockets_) {
        if (!is_between(one, who, server) || !one.connected || one.error != 0) continue;
        shut(one, server_notices, bytes_late);
        one.error = ECONNRESET;
        changed(one, fd);
    }
}

void network::silence(process const& who, int server, moment server_notices) {
    for (auto& [fd, one] : sockets_) {
        if (!is_between(one, who, server) || !one.connected || one.error != 0) continue;
        shut(one, server_notices, -1ns);
        one.line->silent = true;
    }
}

bool network::takes_bytes(socket const& which) const {
    if (limits_.empty()) return true;
    auto const found = limits_.find(which.owner->number);
    return found == limits_.end() || (found->second == sending::little && which.full_until <= world_.now());
}

void network::limit_sending(process const& who, sending how) {
    if (how != sending::free) {
        limits_[who.number] = how;
        return;
    }
    limits_.erase(who.number);
    for (auto& [fd, one] : sockets_)
        if (one.owner == &who) changed(one, fd);
}

void network::vanish(int server) {
    gone_.insert(server);
    for (auto const& who : world_.processes()) silence(*who, server, 0ns);
}

void network::reset_all(int server) {
    for (auto& [fd, one] : sockets_) {
        if (!one.line || !one.connected || one.line->server != server) continue;
        one.line->client_id = 0;
        carry_down(one.line, "reset", [this, number = fd, line = one.line] {
            if (!line->silent) fail(number, ECONNRESET);
        });
    }
}

void network::close_all(process const& who) {
    std::vector<int> mine;
    for (auto& [fd, one] : sockets_)
        if (one.owner == &who) mine.push_back(fd);
    for (auto const fd : mine) {
        auto& one = sockets_.at(fd);
        one.armed = 0;
        if (one.line && one.line->fd >= 0) {
            one.line->fd = -1;
            if (one.line->server >= 0)
                carry_up(one.line, "the end", [this, line = one.line] { server_of(*line).hang_up(line); });
        }
        one.error = ECONNRESET;
    }
}

std::size_t network::open_sockets(process const& who) const {
    return static_cast<std::size_t>(
        std::count_if(sockets_.begin(), sockets_.end(), [&](auto const& one) { return one.second.owner == &who; }));
}

} // namespace redlatch::sim
