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
    using namespace std::chrono_literals;
    // Mostly at once; sometimes another process has the processor.
    return chance_.up_to(63) == 0 ? between(1ms, 5ms) : between(1us, 40us);
}

void world::push(moment when, process* who, std::function<void()> what) {
    if (when == never) return;
    queue_.push_back({std::max(when, now_), ++numbered_, who, std::move(what)});
    std::push_heap(queue_.begin(), queue_.end(), later());
}

bool world::step(moment end) {
    if (queue_.empty() || queue_.front().when > end) return false;
    if (choose) {
        // Among what is due at the same moment any may be first.
        std::vector<std::size_t> due;
        for (std::size_t i = 0; i < queue_.size(); ++i)
            if (queue_[i].when == queue_.front().when) due.push_back(i);
        std::sort(due.begin(), due.end(), [&](auto a, auto b) { return queue_[a].number < queue_[b].number; });
        auto const chosen = due[choose(due.size())];
        queue_[chosen].number = 0;
        std::make_heap(queue_.begin(), queue_.end(), later());
    }
    std::pop_heap(queue_.begin(), queue_.end(), later());
    auto next = std::move(queue_.back());
    queue_.pop_back();
    now_ = next.when;
    ++executed_;
    if (next.who != nullptr && (next.who->stopped || next.who->dead)) {
        next.who->waiting.push_back(std::move(next.what));
        return true;
    }
    as(next.who, nullptr, next.what);
    return true;
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
    who.resume();
    if (who.done()) std::erase_if(fibers_, [&](auto const& one) { return one.get() == &who; });
}

void world::rest_until(moment until) {
    auto* const me = fiber::current();
    REDLATCH_ASSERT(me != nullptr);
    // The fiber may have ended, and its memory be another's, when a timer of it comes: so timers go by parker.
    if (until != never)
        at(std::max(until, now_), me->owner(), [this, parker = &me->its_parker(), sleep = me->sleep] {
            if (auto* const who = fiber::of(parker)) resume(*who, sleep);
        });
    me->give_way();
}

void world::wake(fiber& who) {
    at(now_ + scheduling_delay(), who.owner(), [this, parker = &who.its_parker(), sleep = who.sleep] {
        if (auto* const found = fiber::of(parker)) resume(*found, sleep);
    });
}

} // namespace redlatch::sim
