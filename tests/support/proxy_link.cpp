#include "support/proxy_link.hpp"

#include "support/resp_scanner.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace redlatch::test {
namespace {

void set_non_blocking(descriptor const& fd) {
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

/// A proxy in the way must not cost the 40 ms of a delayed acknowledgement.
void send_at_once(descriptor const& fd) {
    int const on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// What is there; none: the other side has ended.
std::optional<std::string> read_some(descriptor const& fd) {
    char bytes[65536];
    auto const got = ::recv(fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) return std::string(bytes, static_cast<std::size_t>(got));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string();
    return std::nullopt;
}

bool trap_waits(proxy_link const& link) {
    return std::any_of(link.awaiting.begin(), link.awaiting.end(), [](auto const& trap) { return trap != nullptr; });
}

} // namespace

proxy_core::proxy_core(endpoint where) : wake_up(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), server(std::move(where)) {
    if (server.is_unix()) address.path = (folder.path() / "proxy.sock").string();
    listener = listen_on(address);
    set_non_blocking(listener);
    loop = std::thread([this] { run(); });
}

proxy_core::~proxy_core() {
    {
        std::lock_guard const guard(mutex);
        ending = true;
    }
    kick();
    loop.join();
}

void proxy_core::kick() const {
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const put = ::write(wake_up.get(), &one, sizeof one);
}

void proxy_core::accept_one() {
    descriptor client{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!client || refuse) return;
    descriptor other = connect_to(server);
    if (!other) return; // as if nobody listened: the client's connection ends at once
    set_non_blocking(other);
    if (!address.is_unix()) send_at_once(client);
    auto link = std::make_shared<proxy_link>();
    link->client = std::move(client);
    link->server = std::move(other);
    links.push_back(std::move(link));
}

void proxy_core::end_client(proxy_link& link, cut how) {
    if (link.client && how == cut::reset) {
        linger const at_once{1, 0};
        ::setsockopt(link.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    link.client.reset();
    link.to_client.pieces.clear();
}

void proxy_core::end_server(proxy_link& link) {
    link.server.reset();
    for (auto const& trap : link.awaiting)
        if (trap && trap->fate == proxy_trap::fate::open) trap->fate = proxy_trap::fate::ended;
    link.awaiting.clear();
}

void proxy_core::end_both(proxy_link& link, cut how) {
    end_client(link, how);
    end_server(link);
}

void proxy_core::pass_on(proxy_link& link, direction what, std::string bytes) {
    passage& way = link.way(what);
    if (way.held) {
        way.kept += bytes;
        return;
    }
    if (of(what).dropped) return;
    way.pieces.push_back({proxy_clock::now() + of(what).delay, std::move(bytes)});
}

void proxy_core::take_command(proxy_link& link, std::shared_ptr<proxy_link> const& self, std::string bytes) {
    words text = command_words(bytes);
    auto const found = link.to_server.held ? traps.end()
                                           : std::find_if(traps.begin(), traps.end(),
                                                          [&](auto const& trap) { return trap->which(text); });
    bool const subscribes = a_command("SUBSCRIBE")(text);
    if (subscribes) link.pushes = true;
    // One confirmation for each channel.
    if (subscribes || a_command("UNSUBSCRIBE")(text))
        for (std::size_t channel = 2; channel < text.size(); ++channel) link.awaiting.push_back(nullptr);
    commands.push_back(std::move(text));
    if (found == traps.end()) {
        link.awaiting.push_back(nullptr);
        pass_on(link, direction::to_server, std::move(bytes));
        return;
    }
    auto const trap = *found;
    traps.erase(found);
    trap->sprung = true;
    trap->link = self;
    switch (trap->what) {
    case trap_state::kind::cut_before:
        end_both(link, trap->how);
        trap->fate = proxy_trap::fate::ended;
        trap->done = true;
        return;
    case trap_state::kind::hold_tail:
        link.awaiting.push_back(trap);
        pass_on(link, direction::to_server, bytes.substr(0, trap->first));
        link.to_server.held = true;
        link.to_server.kept = bytes.substr(std::min(trap->first, bytes.size()));
        trap->done = true;
        return;
    case trap_state::kind::hold_reply:
    case trap_state::kind::replace_reply:
    case trap_state::kind::cut_after:
        link.awaiting.push_back(trap);
        pass_on(link, direction::to_server, std::move(bytes));
        return;
    }
}

void proxy_core::take_reply(proxy_link& link, std::string bytes) {
    std::shared_ptr<trap_state> trap;
    if (!link.awaiting.empty()) {
        trap = link.awaiting.front();
        link.awaiting.pop_front();
    }
    if (trap) {
        trap->fate = proxy_trap::fate::answered;
        trap->done = true;
        if (trap->what == trap_state::kind::cut_after) {
            end_both(link, trap->how);
            return;
        }
        if (trap->what == trap_state::kind::replace_reply) bytes = trap->bytes;
        if (trap->what == trap_state::kind::hold_reply && !trap->delivered) link.to_client.held = true;
    }
    if (link.client) pass_on(link, direction::to_client, std::move(bytes));
}

void proxy_core::read_client(proxy_link& link, std::shared_ptr<proxy_link> const& self) {
    auto const more = read_some(link.client);
    if (!more) {
        // The client has gone. What it wrote still arrives, unless a trap keeps it: then the server's side waits for
        // the test.
        link.client.reset();
        link.to_client.pieces.clear();
        link.client_gone = true;
        return;
    }
    link.from_client += *more;
    for (auto size = value_length(link.from_client); size && link.client; size = value_length(link.from_client)) {
        std::string one = link.from_client.substr(0, *size);
        link.from_client.erase(0, *size);
        take_command(link, self, std::move(one));
    }
}

void proxy_core::read_server(proxy_link& link) {
    auto const more = read_some(link.server);
    if (!more) {
        end_server(link);
        end_client(link, cut::close);
        return;
    }
    link.from_server += *more;
    for (auto size = value_length(link.from_server); size && link.server; size = value_length(link.from_server)) {
        std::string one = link.from_server.substr(0, *size);
        link.from_server.erase(0, *size);
        bool const message = link.pushes && one.find("\r\nmessage\r\n") < 24;
        if (message) {
            if (link.client) pass_on(link, direction::to_client, std::move(one));
        } else {
            take_reply(link, std::move(one));
        }
    }
}

void proxy_core::send_due(proxy_link& link, direction what, proxy_clock::time_point now) {
    descriptor const& to = what == direction::to_server ? link.server : link.client;
    passage& way = link.way(what);
    while (to && !of(what).held && !way.pieces.empty() && way.pieces.front().due <= now) {
        std::string& bytes = way.pieces.front().bytes;
        auto const put = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (put < 0) {
            if (what == direction::to_server) end_server(link);
            end_client(link, cut::close);
            return;
        }
        bytes.erase(0, static_cast<std::size_t>(put));
        if (bytes.empty()) way.pieces.pop_front();
    }
}

int proxy_core::poll_timeout(proxy_clock::time_point now) const {
    auto wait = std::chrono::milliseconds(1000);
    for (auto const& link : links)
        for (auto const* way : {&link->to_server, &link->to_client})
            if (!way->pieces.empty() && way->pieces.front().due > now)
                wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(way->pieces.front().due - now));
    return static_cast<int>(wait.count());
}

void proxy_core::run() {
    std::unique_lock guard(mutex);
    while (!ending) {
        auto const now = proxy_clock::now();
        for (auto const& link : links) {
            send_due(*link, direction::to_server, now);
            send_due(*link, direction::to_client, now);
            // A client that has gone takes its connection with it, once all it wrote is delivered and no trap waits.
            if (link->client_gone && !link->to_server.held && link->to_server.pieces.empty() && !trap_waits(*link))
                end_server(*link);
        }
        std::erase_if(links, [](auto const& link) { return link->dead(); });
        changed.notify_all();

        std::vector<pollfd> entries{{wake_up.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
        std::vector<std::pair<std::shared_ptr<proxy_link>, direction>> sources;
        for (auto const& link : links) {
            auto const watch = [&](descriptor const& fd, direction source, passage const& out, direction into) {
                if (!fd) return;
                auto events = static_cast<short>(POLLIN);
                if (!out.pieces.empty() && out.pieces.front().due <= now && !of(into).held) events |= POLLOUT;
                entries.push_back({fd.get(), events, 0});
                sources.emplace_back(link, source);
            };
            watch(link->client, direction::to_server, link->to_client, direction::to_client);
            watch(link->server, direction::to_client, link->to_server, direction::to_server);
        }
        int const timeout = poll_timeout(now);
        guard.unlock();
        ::poll(entries.data(), entries.size(), timeout);
        guard.lock();

        if ((entries[0].revents & POLLIN) != 0) {
            std::uint64_t sum = 0;
            [[maybe_unused]] auto const got = ::read(wake_up.get(), &sum, sizeof sum);
        }
        if ((entries[1].revents & POLLIN) != 0) accept_one();
        for (std::size_t i = 0; i < sources.size(); ++i) {
            auto const& [link, source] = sources[i];
            descriptor const& fd = source == direction::to_server ? link->client : link->server;
            // Cut meanwhile, by the test or by the step before.
            if (!fd || fd.get() != entries[i + 2].fd) continue;
            if ((entries[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
            if (source == direction::to_server)
                read_client(*link, link);
            else
                read_server(*link);
        }
    }
}

} // namespace redlatch::test
