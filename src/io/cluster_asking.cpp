// Who has which slot, asked on the reactor: when, and which node.
#include "io/cluster.hpp"
#include "io/cluster_questions.hpp"
#include "io/insist.hpp"
#include "io/unattended.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

namespace {

/// While a node is away, so often the others are asked who has its slots.
constexpr base::milliseconds between_questions{100};
/// A node that does not answer for so long is passed over, and one that has to be connected to first. What comes later counts
/// all the same.
constexpr base::milliseconds longest_answer{1'000};
constexpr base::milliseconds longest_connecting{100};
/// Its answer is needed now, or not at all.
constexpr unattended::terms asked_if_reachable{.once = true, .impatient = true};

} // namespace

void cluster::ask_about_shards(node& server) {
    insist([&] {
        unattended::send(
            loop_, server.data(), question(about_shards()),
            [weak = weak_from_this()](connection::call const& answered) {
                auto const self = weak.lock();
                if (!self) return;
                auto const said = says_shards(answered);
                if (said) return self->use_shards(*said);
                insist([&] { self->refresh_at(base::later(lease_clock::now(), between_questions)); });
            },
            asked_if_reachable);
    });
}

void cluster::watch() {
    bool known = false;
    {
        std::lock_guard const guard(mutex_);
        known = knows_slots() && shards_known_;
    }
    refresh_at(known ? base::later(lease_clock::now(), settings_.topology.scan_interval) : lease_clock::now());
}

void cluster::refresh_soon() {
    {
        std::lock_guard const guard(mutex_);
        doubtful_ = true;
    }
    insist([this] { refresh_at(lease_clock::now()); });
}

void cluster::refresh_at(base::instant due_time) {
    auto before = base::never;
    {
        std::lock_guard const guard(mutex_);
        if (closed_) return;
        if (asking_) {
            ask_again_ = true;
            return;
        }
        if (timer_ <= due_time) return;
        before = std::exchange(timer_, due_time);
    }
    try {
        loop_->at(due_time, [weak = weak_from_this(), due_time] {
            if (auto const self = weak.lock()) self->on_refresh(due_time);
        });
    } catch (...) { // the former one comes, or whoever is next sets it
        std::lock_guard const guard(mutex_);
        if (timer_ == due_time) timer_ = before;
        throw;
    }
}

void cluster::on_refresh(base::instant due_time) {
    {
        std::lock_guard const guard(mutex_);
        if (timer_ != due_time || asking_ || closed_) return;
        timer_ = base::never;
        asking_ = true;
        ask_again_ = false;
        to_ask_ = candidates(std::exchange(doubtful_, false) || lower_.is_suspected());
    }
    ask_next();
}

/// With the mutex. Some at least.
bool cluster::knows_slots() const {
    return std::any_of(members_.begin(), members_.end(), [](auto const& entry) { return entry.second.slots > 0; });
}

/// With the mutex. Where half of the masters that are known are away, those that are left may be cut off, and perhaps all of
/// them were replaced while nobody was asked: replicas know of it, and one of them may be a master now.
void cluster::add_replicas() {
    auto const is_master = [](auto const& entry) { return entry.second.slots > 0; };
    auto const is_away = [&](auto const& entry) { return is_master(entry) && entry.second.server->is_in_trouble(); };
    if (2 * std::ranges::count_if(members_, is_away) < std::ranges::count_if(members_, is_master)) return;
    for (auto const& where : replicas_) {
        auto const there = servers_.reached_at(where);
        if (!members_.contains(there)) member_at(there).resting = true;
    }
}

/// With the mutex. The last is asked first: those that have slots and are connected, and in the end the ones that rest. What
/// one believes may be old, so whoever was asked the longest ago comes first of those; and where something is wrong, every
/// fourth time one of the rest before all: who is connected to a node that was cut off would hear of nobody else.
std::vector<cluster::member*> cluster::candidates(bool doubtful) {
    if (doubtful) add_replicas();
    std::vector<member*> found;
    auto const add = [&](auto const& fits) {
        for (auto& [where, one] : members_)
            if (fits(one)) found.push_back(&one);
    };
    add([](member const& one) { return one.resting; });
    add([](member const& one) { return !one.resting && !one.server->is_connected(); });
    add([](member const& one) { return !one.resting && one.slots == 0 && one.server->is_connected(); });
    auto const others = static_cast<std::ptrdiff_t>(found.size());
    add([](member const& one) { return !one.resting && one.slots > 0 && one.server->is_connected(); });
    auto const first = found.begin() + others;
    std::sort(first, found.end(), [](member const* one, member const* other) { return one->asked > other->asked; });
    if (!doubtful || others == 0 || ++doubts_ % 4 != 0) return found;
    auto const next = std::min_element(
        found.begin(), first, [](member const* one, member const* other) { return one->asked < other->asked; });
    std::rotate(next, next + 1, found.end());
    return found;
}

void cluster::ask_next() {
    node* next = nullptr;
    std::uint64_t number = 0;
    {
        std::lock_guard const guard(mutex_);
        if (closed_) return;
        number = ++question_;
        if (!to_ask_.empty()) {
            auto& one = *to_ask_.back();
            to_ask_.pop_back();
            one.asked = number;
            if (std::exchange(one.resting, false)) one.used_at = lease_clock::now();
            next = one.server.get();
        }
    }
    if (next == nullptr) return on_asked(number);
    auto const patience = next->is_connected() ? longest_answer : longest_connecting;
    loop_->at(base::later(lease_clock::now(), patience), [weak = weak_from_this(), number] {
        auto const self = weak.lock();
        if (!self) return;
        {
            std::lock_guard const guard(self->mutex_);
            if (self->question_ != number || !self->asking_) return;
        }
        self->ask_next();
    });
    settle_rest(*next);
    bool const sent = insist([&] {
        unattended::send(
            loop_, next->data(), question(resp::command("CLUSTER", "NODES")),
            [weak = weak_from_this(), number, next](connection::call const& answered) {
                if (auto const self = weak.lock()) self->on_answer(number, *next, answered);
            },
            asked_if_reachable);
    });
    if (!sent) ask_next();
}

void cluster::on_answer(std::uint64_t question, node& from, connection::call const& answered) {
    bool const understood = answered.status == connection::call::state::answered && answered.reply.is_text()
                            && take(answered.reply.text, from);
    bool ask_more = false;
    {
        std::lock_guard const guard(mutex_);
        ask_more = understood && !shards_known_;
        if (question_ != question || !asking_) return; // too late: another one was asked meanwhile
    }
    if (ask_more) ask_about_shards(from);
    understood ? on_asked(question) : ask_next();
}

void cluster::on_asked(std::uint64_t question) {
    bool soon = false;
    {
        std::lock_guard const guard(mutex_);
        if (question_ != question || !std::exchange(asking_, false)) return;
        soon = std::exchange(ask_again_, false) || !knows_slots();
        auto const now = lease_clock::now();
        for (auto& [where, one] : members_)
            soon = soon || ((one.slots > 0 || now < one.awaited_until) && one.server->is_in_trouble());
        doubtful_ = doubtful_ || soon;
    }
    refresh_at(base::later(lease_clock::now(), soon ? between_questions : settings_.topology.scan_interval));
}

} // namespace redlatch::io
