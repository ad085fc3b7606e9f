#include "sim/redisson/peer.hpp"

#include "io/random_seed.hpp"
#include "resp/command.hpp"
#include "sim/server/differential/java_scripts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace redlatch::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto response_timeout = 3'000ms;
constexpr auto subscription_timeout = 7'500ms;

std::string channel_of(std::string const& lock) {
    return "redisson_lock__channel:{" + lock + "}";
}

} // namespace

redisson_peer::redisson_peer(network& net, process& of, settings how)
    : net_(net), owner_(of), settings_(std::move(how)), id_(io::random_uuid()), commands_(net, of, {}),
      messages_(net, of,
                {.up = [this] { listen_again(); },
                 .lost =
                     [this] {
                         for (auto& [name, one] : channels_) one.confirmed = false;
                         if (settings_.messages_are_lost) settings_.messages_are_lost();
                     },
                 .unasked_for = [this](resp::value const& what) { return on_message(what); }}) {}

void redisson_peer::start() {
    commands_.start();
    messages_.start();
    renew_all();
}

void redisson_peer::close() {
    closing_ = true;
    commands_.close();
    messages_.close();
    auto& in = world::the();
    for (auto* const one : waiting_) in.wake(*one);
    for (auto& [name, each] : channels_)
        for (auto* const one : each.asleep) in.wake(*one);
}

bool redisson_peer::holds(std::string const& lock, std::int64_t thread) const {
    auto const found = holds_.find({lock, thread});
    return found != holds_.end() && world::the().now() < found->second.valid_until;
}

moment redisson_peer::validity(moment sent_at, std::int64_t lease) const {
    auto const margin = std::max(std::chrono::milliseconds(lease / 100), 20ms);
    return sent_at + std::chrono::milliseconds(lease) - margin;
}

std::unique_ptr<resp::value> redisson_peer::ask(std::string const& command) {
    struct box {
        bool done = false;
        std::unique_ptr<resp::value> what{};
    };
    auto const mine = std::make_shared<box>();
    auto& in = world::the();
    auto* const parker = &fiber::current()->its_parker();
    commands_.call(command, [mine, parker](resp::value const* reply) {
        mine->done = true;
        if (reply != nullptr) mine->what = std::make_unique<resp::value>(*reply);
        if (auto* const who = fiber::of(parker)) world::the().wake(*who);
    });
    auto const until = in.now() + response_timeout;
    auto const my_place = waiting_.insert(waiting_.end(), fiber::current());
    while (!mine->done && !over() && in.now() < until) in.rest_until(until);
    waiting_.erase(my_place);
    return std::move(mine->what);
}

redisson_peer::attempt redisson_peer::try_once(request const& what) {
    auto const lease = what.lease.value_or(settings_.watchdog);
    auto const sent_at = world::the().now();
    auto const reply =
        ask(resp::command("EVAL", java_acquire, "1", what.lock, std::to_string(lease), owner(what.thread)));
    if (!reply || over()) return {};
    if (reply->is_integer()) return {answer::busy, reply->integer};
    if (!reply->is_nil()) return {};
    auto& mine = holds_[{what.lock, what.thread}];
    ++mine.count;
    mine.lease = lease;
    mine.renewed = !what.lease;
    mine.valid_until = validity(sent_at, lease);
    return {answer::acquired};
}

redisson_peer::answer redisson_peer::lock(request const& what) {
    auto& in = world::the();
    auto const until = what.wait ? in.now() + std::chrono::milliseconds(*what.wait) : never;
    auto seen = try_once(what);
    if (seen.what != answer::busy) return seen.what;
    if (in.now() >= until) return answer::busy;
    auto const channel = channel_of(what.lock);
    if (!subscribe(channel, until)) return answer::failed;
    while (!over()) {
        if (in.now() >= until) break;
        seen = try_once(what);
        if (seen.what != answer::busy || in.now() >= until) break;
        auto const asks_again = seen.left >= 0 ? in.now() + std::chrono::milliseconds(seen.left) : never;
        park(channels_[channel], std::min(asks_again, until));
    }
    if (auto& there = channels_[channel]; seen.what != answer::acquired && !there.asleep.empty())
        wake_one(there); // it may have been woken and not have tried
    unsubscribe(channel);
    return over() ? answer::failed : seen.what;
}

char const* redisson_peer::unlock(request const& what) {
    auto const key = place(what.lock, what.thread);
    auto const lease = holds_[key].lease;
    auto const sent_at = world::the().now();
    auto const latch = "redisson_unlock_latch:{" + what.lock + "}:" + id_ + "-" + std::to_string(++releases_);
    auto const reply = ask(resp::command("EVAL", java_unlock, "3", what.lock, channel_of(what.lock), latch, "0",
                                         std::to_string(lease), owner(what.thread), "PUBLISH", "16000"));
    bool const partly = reply && reply->is_integer() && reply->integer == 0;
    if (partly && --holds_[key].count > 0) { // what an answer that was lost has left behind is not renewed
        holds_[key].valid_until = validity(sent_at, lease);
    } else {
        holds_.erase(key);
    }
    if (!reply) return "no answer";
    if (reply->is_error()) return "an error";
    commands_.call(resp::command("DEL", latch), [](resp::value const*) {}); // nobody waits for it
    return reply->is_nil() ? "not locked by this thread" : nullptr;
}

// --- messages

bool redisson_peer::subscribe(std::string const& channel, moment until) {
    auto& in = world::the();
    auto& mine = channels_[channel];
    if (++mine.users == 1 || !mine.confirmed) listen(channel);
    until = std::min(until, in.now() + subscription_timeout);
    auto const my_place = waiting_.insert(waiting_.end(), fiber::current());
    while (!mine.confirmed && !mine.refused && !over() && in.now() < until) in.rest_until(until);
    waiting_.erase(my_place);
    if (mine.confirmed && !over()) return true;
    unsubscribe(channel);
    return false;
}

void redisson_peer::unsubscribe(std::string const& channel) {
    auto const found = channels_.find(channel);
    if (--found->second.users > 0) return;
    channels_.erase(found);
    messages_.call(resp::command("UNSUBSCRIBE", channel), [](resp::value const*) {});
}

void redisson_peer::listen_again() {
    for (auto const& [name, one] : channels_) listen(name);
}

void redisson_peer::listen(std::string const& channel) {
    messages_.call(resp::command("SUBSCRIBE", channel), [this, channel](resp::value const* reply) {
        auto const found = channels_.find(channel);
        if (reply == nullptr || !reply->is_error() || found == channels_.end()) return;
        found->second.refused = true;
        for (auto* const one : waiting_) world::the().wake(*one);
        if (settings_.messages_are_lost) settings_.messages_are_lost();
    });
}

void redisson_peer::park(entry& where, moment until) {
    if (where.permits > 0) {
        --where.permits;
        return;
    }
    auto* const me = fiber::current();
    where.asleep.push_back(me);
    world::the().rest_until(until);
    where.asleep.remove(me);
}

bool redisson_peer::on_message(resp::value const& what) {
    if (!what.is_array() || what.items.size() != 3) return false; // the answer to a PING, or an error
    auto const found = channels_.find(what.items[1].text);
    if (what.items[0].text == "subscribe" && found != channels_.end()) {
        found->second.confirmed = true;
        for (auto* const one : waiting_) world::the().wake(*one);
    }
    if (what.items[0].text != "message") return false;
    // 0 in any spelling that Java reads as a number; another one, or what is none, wakes nobody.
    std::string_view said = what.items[2].text;
    if (said.starts_with('-') || said.starts_with('+')) said.remove_prefix(1);
    if (found != channels_.end() && !said.empty() && said.find_first_not_of('0') == std::string_view::npos)
        wake_one(found->second);
    return true;
}

void redisson_peer::wake_one(entry& where) {
    if (where.asleep.empty()) {
        ++where.permits;
        return;
    }
    world::the().wake(*where.asleep.front());
    where.asleep.pop_front();
}

// --- the watchdog

void redisson_peer::renew_all() {
    if (over()) return;
    auto& in = world::the();
    in.at(in.now() + std::chrono::milliseconds(settings_.watchdog / 3), owner_, [this] { renew_all(); });
    std::vector<place> all;
    for (auto const& [key, one] : holds_)
        if (one.renewed) all.push_back(key);
    for (auto const& key : all) {
        auto const command =
            resp::command("EVAL", java_renew, "1", key.first, std::to_string(settings_.watchdog), owner(key.second));
        commands_.call(command, [this, key, sent_at = in.now()](resp::value const* reply) {
            auto const found = holds_.find(key);
            if (reply == nullptr || !reply->is_array() || reply->items.empty() || found == holds_.end()) return;
            if (reply->items[0].integer == 1)
                found->second.valid_until = std::max(found->second.valid_until, validity(sent_at, settings_.watchdog));
            else
                found->second = {.count = found->second.count, .lease = found->second.lease}; // it is not told
        });
    }
}

} // namespace redlatch::sim
