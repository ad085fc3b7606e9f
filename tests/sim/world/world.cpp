#include "sim/world/world.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::sim {
namespace {

world* present = nullptr;

} // namespace

world::world(std::uint64_t seed) : chance_(seed) {
    REDLATCH_ASSERT(present == nullptr);
    present = this;
}

world::~world() {
    queue_.clear();
    for (auto const& one : processes_) one->waiting.clear();
    fibers_.clear();
    present = nullptr;
}

world& world::the() noexcept {
    REDLATCH_ASSERT(present != nullptr);
    return *present;
}

bool world::exists() noexcept {
    return present != nullptr;
}

moment world::between(moment least, moment most) {
    return least + moment(chance_.up_to((most - least).count()));
}

process& world::add_process(std::string name) {
    auto one = std::make_unique<process>();
    one->name = std::move(name);
    one->number = static_cast<int>(processes_.size());
    processes_.push_back(std::move(one));
    return *processes_.back();
}

void world::as(process* who, void const* context, std::function<void()> const& what) {
    auto* const process_before = std::exchange(current_, who);
    auto const* const context_before = std::exchange(context_, context);
    what();
    current_ = process_before;
    context_ = context_before;
}

moment world::scheduling_delay() {
    if (!by_chance()) return woken_after;
    using namespace std::chrono_literals;
    // Mostly at once; sometimes another process has the processor.
    bool const stalls = woken_within.stalls > 0 && chance_.up_to(woken_within.stalls - 1) == 0;
    return stalls ? between(1ms, 5ms) : between(woken_within.least, woken_within.most);
}

void world::add(event one) {
    one.number = ++numbered_;
    one.when = std::max(one.when, now_);
    queue_.push_back(std::move(one));
    if (by_chance()) std::push_heap(queue_.begin(), queue_.end(), later());
}

std::uint64_t world::push(moment when, process* who, std::function<void()> what) {
    if (when == never) return 0;
    add({.when = when, .who = who, .what = std::move(what), .timed = when > now_});
    return numbered_;
}

void world::carry(moment when, std::uint64_t channel, std::uint64_t bytes, std::uint64_t* heard,
                  std::function<void()> what) {
    add({.when = when, .what = std::move(what), .timed = true, .channel = channel, .bytes = bytes, .heard = heard});
}

void world::drop(std::uint64_t number) {
    if (!by_chance()) std::erase_if(queue_, [&](event const& one) { return one.number == number; });
}

bool world::step(moment end) {
    event next;
    if (order) {
        if (!take_in_order(next)) return false;
    } else {
        if (queue_.empty() || queue_.front().when > end) return false;
        std::pop_heap(queue_.begin(), queue_.end(), later());
        next = std::move(queue_.back());
        queue_.pop_back();
    }
    execute(std::move(next));
    return true;
}

void world::execute(event next) {
    now_ = std::max(now_, next.when);
    ++executed_;
    // What a process does is decided by what it heard, and when.
    auto* const heard = next.heard != nullptr               ? next.heard
                        : next.who != nullptr && next.timed ? &next.who->heard
                                                            : nullptr;
    if (heard != nullptr)
        *heard = mixed(mixed(mixed(*heard, next.bytes), next.channel), static_cast<std::uint64_t>(now_.count()));
    if (next.who != nullptr && (next.who->stopped || next.who->dead)) {
        next.who->waiting.push_back(std::move(next.what));
        return;
    }
    as(next.who, nullptr, next.what);
}

bool world::take_in_order(event& next) {
    for (;;) {
        // What is local is done first, in the order in which it came up; then what is due while time passes.
        auto best = queue_.end();
        for (auto one = queue_.begin(); one != queue_.end(); ++one) {
            if (one->channel != 0 || (one->timed && one->when > passes_until_)) continue;
            auto const rank = [](event const& of) { return std::pair(of.timed ? of.when : moment(-1), of.number); };
            if (best == queue_.end() || rank(*one) < rank(*best)) best = one;
        }
        if (best == queue_.end()) {
            if (queue_.empty()) return false;
            pending all;
            std::sort(queue_.begin(), queue_.end(), [](auto const& a, auto const& b) { return a.number < b.number; });
            for (auto const& one : queue_) {
                if (one.channel == 0) {
                    all.times.push_back(one.when);
                    if (one.who != nullptr) all.timers.push_back(one.when);
                    continue;
                }
                auto const same = [&](delivery const& other) { return other.channel == one.channel; };
                bool const first = std::none_of(all.heads.begin(), all.heads.end(), same);
                (first ? all.heads : all.behind).push_back({one.channel, one.number, one.bytes});
            }
            std::stable_partition(all.heads.begin(), all.heads.end(),
                                  [&](delivery const& one) { return !last_channels_.contains(one.channel); });
            for (auto* const each : {&all.times, &all.timers}) {
                std::sort(each->begin(), each->end());
                each->erase(std::unique(each->begin(), each->end()), each->end());
            }
            auto const decided = order(all);
            switch (decided.what) {
            case decision::kind::ask_again: continue;
            case decision::kind::pass: passes_until_ = decided.until; continue;
            case decision::kind::deliver: break;
            }
            best = std::find_if(queue_.begin(), queue_.end(),
                                [&](auto const& one) { return one.number == decided.number; });
            REDLATCH_ASSERT(best != queue_.end());
            best->when = now_;
        }
        next = std::move(*best);
        queue_.erase(best);
        return true;
    }
}

void world::go_on(process& which) {
    which.stopped = which.dead = false;
    which.last_went_on = now_;
    for (auto& one : std::exchange(which.waiting, {})) at(now_ + scheduling_delay(), which, std::move(one));
}

// --- fibers

fiber& world::spawn(process& of, std::function<void()> body) {
    fibers_.push_back(std::make_unique<fiber>(of, std::move(body)));
    auto& one = *fibers_.back();
    at(now_ + scheduling_delay(), of, [this, &one, sleep = one.sleep] { resume(one, sleep); });
    return one;
}

void world::resume(fiber& who, std::uint64_t sleep) {
    if (who.sleep != sleep) return;
    who.sleep = fiber::next_sleep();
    ++who.owner().wakes;
    who.resume();
    if (who.done()) std::erase_if(fibers_, [&](auto const& one) { return one.get() == &who; });
}

void world::rest_until(moment until) {
    auto* const me = fiber::current();
    REDLATCH_ASSERT(me != nullptr);
    // The fiber may have ended, and its memory be another's, when a timer of it comes: so timers go by parker.
    std::uint64_t timer = 0;
    if (until != never)
        timer = at(std::max(until, now_), me->owner(), [this, parker = &me->its_parker(), sleep = me->sleep] {
            if (auto* const who = fiber::of(parker)) resume(*who, sleep);
        });
    me->give_way();
    drop(timer);
}

void world::wake(fiber& who) {
    at(now_ + scheduling_delay(), who.owner(), [this, parker = &who.its_parker(), sleep = who.sleep] {
        if (auto* const found = fiber::of(parker)) resume(*found, sleep);
    });
}

} // namespace redlatch::sim
