#include "support/byte_proxy.hpp"

#include "locking/script.hpp"
#include "support/proxy_link.hpp"

#include <algorithm>
#include <sstream>
#include <strings.h>

namespace redlatch::test {
namespace {

bool same(std::string const& left, std::string const& right) {
    return ::strcasecmp(left.c_str(), right.c_str()) == 0;
}

proxy_trap add_trap(std::shared_ptr<proxy_core> const& core, trap_state state) {
    auto trap = std::make_shared<trap_state>(std::move(state));
    std::lock_guard const guard(core->mutex);
    core->traps.push_back(trap);
    return proxy_trap(core, trap);
}

} // namespace

matcher a_command(std::string name) {
    words parts;
    std::istringstream text(std::move(name));
    for (std::string part; text >> part;) parts.push_back(part);
    return [parts](words const& command) {
        return command.size() >= parts.size() && std::equal(parts.begin(), parts.end(), command.begin(), same);
    };
}

matcher a_script(locking::script const& which) {
    return [sha = std::string(which.sha1), text = std::string(which.text)](words const& command) {
        if (command.size() < 2) return false;
        return (same(command[0], "EVALSHA") && same(command[1], sha))
               || (same(command[0], "EVAL") && command[1] == text);
    };
}

matcher any_script() {
    return [](words const& command) {
        return !command.empty() && (same(command[0], "EVALSHA") || same(command[0], "EVAL"));
    };
}

matcher an_acquisition() {
    return [restore = a_command("RESTORE"), script = a_script(locking::scripts::lock_acquire)](words const& command) {
        return restore(command) || script(command);
    };
}

matcher a_release() {
    return [hdel = a_command("HDEL"), script = a_script(locking::scripts::lock_release)](words const& command) {
        return hdel(command) || script(command);
    };
}

matcher any_lock_call() {
    return [restore = a_command("RESTORE"), hdel = a_command("HDEL"), script = any_script()](words const& command) {
        return restore(command) || hdel(command) || script(command);
    };
}

matcher anything() {
    return [](words const&) { return true; };
}

proxy_trap::proxy_trap(std::shared_ptr<proxy_core> core, std::shared_ptr<trap_state> state)
    : core_(std::move(core)), state_(std::move(state)) {}

bool proxy_trap::wait(std::chrono::milliseconds limit) const {
    std::unique_lock guard(core_->mutex);
    return core_->changed.wait_for(guard, limit, [this] { return state_->done; });
}

bool proxy_trap::sprung() const {
    std::lock_guard const guard(core_->mutex);
    return state_->sprung;
}

void proxy_trap::cut_client(cut how) const {
    std::lock_guard const guard(core_->mutex);
    if (auto const link = state_->link.lock()) core_->end_client(*link, how);
    core_->kick();
}

void proxy_trap::cut_server() const {
    std::lock_guard const guard(core_->mutex);
    if (auto const link = state_->link.lock()) core_->end_both(*link, cut::close);
    core_->kick();
}

void proxy_trap::deliver() const {
    std::lock_guard const guard(core_->mutex);
    state_->delivered = true;
    auto const link = state_->link.lock();
    if (!link) return;
    bool const tail = state_->what == trap_state::kind::hold_tail;
    passage& way = tail ? link->to_server : link->to_client;
    way.held = false;
    if (!way.kept.empty()) way.pieces.push_back({proxy_clock::now(), std::exchange(way.kept, {})});
    core_->kick();
}

proxy_trap::fate proxy_trap::what_happened() const {
    std::lock_guard const guard(core_->mutex);
    return state_->fate;
}

proxy_trap::fate proxy_trap::wait_fate(std::chrono::milliseconds limit) const {
    std::unique_lock guard(core_->mutex);
    core_->changed.wait_for(guard, limit, [this] { return state_->fate != fate::open; });
    return state_->fate;
}

byte_proxy::byte_proxy(endpoint server) : core_(std::make_shared<proxy_core>(std::move(server))) {}
byte_proxy::~byte_proxy() = default;

endpoint const& byte_proxy::address() const noexcept {
    return core_->address;
}

void byte_proxy::hold(direction what) {
    std::lock_guard const guard(core_->mutex);
    core_->of(what).held = true;
}

void byte_proxy::pass(direction what) {
    std::lock_guard const guard(core_->mutex);
    core_->of(what) = {};
    core_->kick();
}

void byte_proxy::drop(direction what) {
    std::lock_guard const guard(core_->mutex);
    core_->of(what).dropped = true;
}

void byte_proxy::delay(direction what, std::chrono::milliseconds by) {
    std::lock_guard const guard(core_->mutex);
    core_->of(what).delay = by;
}

void byte_proxy::refuse_connections(bool refuse) {
    std::lock_guard const guard(core_->mutex);
    core_->refuse = refuse;
}

void byte_proxy::cut_all(cut how) {
    std::lock_guard const guard(core_->mutex);
    for (auto const& link : core_->links) core_->end_both(*link, how);
    core_->kick();
}

void byte_proxy::redirect(endpoint server) {
    std::lock_guard const guard(core_->mutex);
    core_->server = std::move(server);
}

proxy_trap byte_proxy::hold_tail(matcher which, std::size_t first) {
    return add_trap(core_, {.what = trap_state::kind::hold_tail, .which = std::move(which), .first = first});
}

proxy_trap byte_proxy::hold_reply(matcher which) {
    return add_trap(core_, {.what = trap_state::kind::hold_reply, .which = std::move(which)});
}

proxy_trap byte_proxy::replace_reply(matcher which, std::string bytes) {
    return add_trap(core_,
                    {.what = trap_state::kind::replace_reply, .which = std::move(which), .bytes = std::move(bytes)});
}

proxy_trap byte_proxy::cut_before(matcher which, cut how) {
    return add_trap(core_, {.what = trap_state::kind::cut_before, .which = std::move(which), .how = how});
}

proxy_trap byte_proxy::cut_after(matcher which, cut how) {
    return add_trap(core_, {.what = trap_state::kind::cut_after, .which = std::move(which), .how = how});
}

std::vector<words> byte_proxy::commands() const {
    std::lock_guard const guard(core_->mutex);
    return core_->commands;
}

std::size_t byte_proxy::count(matcher which) const {
    std::lock_guard const guard(core_->mutex);
    return static_cast<std::size_t>(std::count_if(core_->commands.begin(), core_->commands.end(), which));
}

void byte_proxy::forget_commands() {
    std::lock_guard const guard(core_->mutex);
    core_->commands.clear();
}

std::size_t byte_proxy::connections() const {
    std::lock_guard const guard(core_->mutex);
    return static_cast<std::size_t>(
        std::count_if(core_->links.begin(), core_->links.end(), [](auto const& link) { return bool(link->client); }));
}

} // namespace redlatch::test
