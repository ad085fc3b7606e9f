#include "locking/subscription_registry.hpp"

#include "base/assert.hpp"
#include "base/hash_slot.hpp"
#include "connection/redirect.hpp"
#include "connection/server_error.hpp"
#include "locking/release_message.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace redlatch::locking {

void subscription_registry::moved(channel& channel, base::wake_list& woken) {
    ++channel.count;
    for (auto const& waiter : channel.waiters) woken.add(waiter);
}

void subscription_registry::heard(channel& channel, std::string_view message, base::wake_list& woken) {
    ++channel.messages;
    channel.turn_goes_on = message == turn_goes_on;
    auto const ended = turns_ended_by(message);
    channel.turns += ended;
    channel.absent += ended > 1 ? ended - 1 : 0;
    if (!knows_turns(message)) ++channel.foreign;
    moved(channel, woken);
}

bool subscription_registry::expect_own(std::string const& name) {
    auto const found = channels_.find(name);
    if (found == channels_.end() || found->second->now_in != channel::state::subscribed) return false;
    ++found->second->own_expected;
    return true;
}

/// Where it has taken the place of another one, that one is news now.
void subscription_registry::expect_own_no_more(std::string const& name, base::wake_list& woken) {
    auto const found = channels_.find(name);
    if (found == channels_.end()) return;
    if (found->second->own_expected > 0) --found->second->own_expected;
    moved(*found->second, woken);
}

channel_ptr subscription_registry::attach(std::string const& name) {
    auto& found = channels_.try_emplace(name).first->second;
    if (!found) {
        try {
            found = std::make_shared<channel>();
            found->name = name;
            found->session = ++last_session_;
        } catch (...) {
            channels_.erase(name);
            throw;
        }
    }
    if (found->references++ == 0 && found->linger_until != base::never) stay(*found);
    return found;
}

/// It lingers no more.
void subscription_registry::stay(channel& channel) noexcept {
    lingering_.erase(channel.place);
    channel.linger_until = base::never;
}

void subscription_registry::detach(channel_ptr const& channel, base::instant now) {
    REDLATCH_ASSERT(channel->references > 0);
    bool const last = channel->references == 1;
    bool const lingers = channel->now_in != channel::state::idle && channel->now_in != channel::state::refused;
    if (last && lingers) lingering_.push_back(channel); // first what throws
    --channel->references;
    if (!last) return;
    if (!lingers) {
        channels_.erase(channel->name);
        return;
    }
    channel->place = std::prev(lingering_.end());
    channel->linger_until = base::later(now, linger);
    if (lingering_.size() > most_lingering) give_up_oldest(most_together());
}

void subscription_registry::stage(std::string const& bytes, due_answer answer) {
    stage(bytes, std::span<due_answer const>(&answer, 1));
}

void subscription_registry::stage(std::string const& bytes, std::span<due_answer const> answers) {
    out.make_room(bytes.size()); // what throws comes first: bytes without their place in line would shift all answers
    due_.insert(due_.end(), answers.begin(), answers.end());
    out.stage(bytes);
    ++commands_;
}

void subscription_registry::ask(channel_ptr const& channel) {
    stage(resp::command(sharded_ ? "SSUBSCRIBE" : "SUBSCRIBE", channel->name), {request::subscribe, channel});
    channel->now_in = channel::state::asked;
}

void subscription_registry::subscribe(channel_ptr const& channel) {
    if (channel->now_in == channel::state::idle && up_) ask(channel);
}

bool subscription_registry::subscribe_again(channel_ptr const& channel) {
    if (!channel->is_refused_for_now() || !up_) return false;
    ask(channel);
    return true;
}

void subscription_registry::give_up_oldest(std::size_t count) {
    std::vector<due_answer> gone;
    std::vector<std::string_view> words{sharded_ ? "SUNSUBSCRIBE" : "UNSUBSCRIBE"};
    gone.reserve(count);
    words.reserve(count + 1);
    while (gone.size() < count && !lingering_.empty()) {
        auto one = lingering_.front();
        stay(*one);
        channels_.erase(one->name);
        words.push_back(one->name);
        gone.push_back({request::unsubscribe, std::move(one)});
    }
    if (!up_) return;
    for (std::size_t at = 0; at < gone.size(); ++at) gone[at].behind = gone.size() - 1 - at;
    std::string bytes;
    resp::append_command(bytes, words);
    stage(bytes, gone);
    for (auto const& one : gone) one.channel->now_in = channel::state::idle;
}

channel_sample subscription_registry::peek(std::string const& name) const {
    auto const found = channels_.find(name);
    return found == channels_.end() ? channel_sample{} : found->second->sample();
}

void subscription_registry::on_timer(base::instant now) {
    for (;;) {
        std::size_t due = 0;
        for (auto const& one : lingering_) {
            if (one->linger_until > now || due == most_together()) break;
            ++due;
        }
        if (due == 0) return;
        give_up_oldest(due);
    }
}

base::instant subscription_registry::next() const noexcept {
    return lingering_.empty() ? base::never : lingering_.front()->linger_until;
}

std::size_t subscription_registry::active() const noexcept {
    return static_cast<std::size_t>(std::count_if(channels_.begin(), channels_.end(), [](auto const& one) {
        return one.second->now_in == channel::state::subscribed || one.second->now_in == channel::state::asked;
    }));
}

void subscription_registry::on_up(connection::identity const&, base::instant, base::wake_list&) {
    REDLATCH_ASSERT(!up_ && due_.empty());
    up_ = true;
    out.reset();
    for (auto const& [name, channel] : channels_)
        if (channel->references > 0) ask(channel);
}

void subscription_registry::on_down(base::instant, base::wake_list& woken) noexcept {
    up_ = false;
    due_.clear();
    out.reset();
    for (auto const& channel : lingering_) {
        channel->linger_until = base::never;
        channels_.erase(channel->name);
    }
    lingering_.clear();
    for (auto const& [name, channel] : channels_) {
        channel->now_in = channel::state::idle;
        channel->polled = false;
        channel->own_expected = 0;
        moved(*channel, woken); // a message may have been missed: everybody asks
    }
}

subscription_registry::due_answer subscription_registry::next_answer() {
    auto answer = std::move(due_.front());
    due_.pop_front();
    return answer;
}

bool subscription_registry::on_confirmation(request order, base::wake_list& woken) {
    if (due_.empty() || due_.front().what != order) return false;
    auto const answer = next_answer();
    // A channel that was given up meanwhile is idle, and whoever wants the same name again has another object.
    if (order == request::subscribe && answer.channel->now_in == channel::state::asked) {
        answer.channel->now_in = channel::state::subscribed;
        answer.channel->elsewhere = false;
        answer.channel->polled = false;
        moved(*answer.channel, woken);
    }
    return true;
}

/// The server has ended the subscription by itself.
void subscription_registry::on_slot_moved(std::string const& name, base::wake_list& woken) {
    auto const found = channels_.find(name);
    if (found == channels_.end() || found->second->now_in != channel::state::subscribed) return;
    found->second->now_in = channel::state::idle;
    found->second->elsewhere = true;
    found->second->own_expected = 0;
    moved(*found->second, woken);
}

void subscription_registry::on_slots_moved(base::function_ref<bool(std::uint16_t)> gone, base::wake_list& woken) {
    for (auto const& [name, channel] : channels_) {
        if (channel->references == 0) continue;
        if (gone(base::hash_slot(name))) {
            channel->elsewhere = true;
            moved(*channel, woken);
        } else if (channel->now_in == channel::state::subscribed) {
            channel->elsewhere = false; // it has come back
        }
    }
}

void subscription_registry::on_another_master(base::wake_list& woken) {
    for (auto const& [name, channel] : channels_)
        if (channel->references > 0) moved(*channel, woken);
}

/// What a server says of SUNSUBSCRIBE that has ended the subscription by itself while it was on its way: it has confirmed that
/// already.
bool subscription_registry::is_about_another_slot(resp::value const& error) const {
    auto const elsewhere = sharded_ ? connection::read_redirect(error) : std::nullopt;
    if (!elsewhere) return false;
    auto const* const asked = due_.empty() ? nullptr : due_.front().channel.get();
    return asked == nullptr || base::hash_slot(asked->name) != elsewhere->slot;
}

bool subscription_registry::on_value(resp::value&& incoming, base::instant, base::wake_list& woken) {
    if (incoming.is_error()) {
        if (is_about_another_slot(incoming)) return true;
        // The answer to the oldest request: SUBSCRIBE of a user without the right, or of a server that executes nothing now.
        if (due_.empty()) return false;
        auto const answer = next_answer();
        for (auto behind = answer.behind; behind > 0; --behind) next_answer();
        if (answer.what == request::unsubscribe)
            connection::note_missing_right(missing_rights, sharded_ ? "sunsubscribe" : "unsubscribe", incoming);
        if (answer.what == request::ping) connection::note_missing_right(missing_rights, "ping", incoming);
        if (answer.what == request::subscribe) {
            bool const for_now = connection::judge(incoming) == connection::verdict::not_executed;
            answer.channel->now_in = for_now ? channel::state::idle : channel::state::refused;
            answer.channel->refusal = std::move(incoming.text);
            if (!std::exchange(answer.channel->polled, true)) moved(*answer.channel, woken);
        }
        return true;
    }
    if (incoming.is_text()) return on_confirmation(request::ping, woken); // PONG without any subscription
    if (!incoming.is_array() || incoming.items.empty() || !incoming.items.front().is_text()) return false;
    auto kind = std::string_view(incoming.items.front().text);
    if (sharded_ && kind.starts_with('s') && kind != "subscribe") kind.remove_prefix(1);
    if (kind == "message") {
        if (incoming.items.size() != 3 || !incoming.items[1].is_text() || !incoming.items[2].is_text()) return false;
        auto const found = channels_.find(incoming.items[1].text);
        if (found == channels_.end()) return true;
        if (found->second->own_expected > 0)
            --found->second->own_expected;
        else
            heard(*found->second, incoming.items[2].text, woken);
        return true;
    }
    if (kind == "subscribe") return on_confirmation(request::subscribe, woken);
    if (kind == "unsubscribe") {
        if (!sharded_) return on_confirmation(request::unsubscribe, woken);
        if (incoming.items.size() < 2) return false;
        auto const& name = incoming.items[1].text;
        bool const asked_for =
            !due_.empty() && due_.front().what == request::unsubscribe && due_.front().channel->name == name;
        if (asked_for) return on_confirmation(request::unsubscribe, woken);
        on_slot_moved(name, woken);
        return true;
    }
    if (kind == "pong") return on_confirmation(request::ping, woken);
    return false;
}

void subscription_registry::on_closed(base::wake_list& woken) {
    up_ = false;
    due_.clear();
    out.reset();
    while (!lingering_.empty()) stay(*lingering_.front());
    for (auto const& [name, channel] : channels_) {
        channel->now_in = channel::state::idle;
        moved(*channel, woken);
    }
}

void subscription_registry::stage_ping(base::instant) {
    if (!up_) return;
    stage(resp::command("PING"), {request::ping, nullptr});
}

} // namespace redlatch::locking
