// The thread of users' callbacks as events of the simulated world: linked instead of src/io/notifier.cpp.
#include "io/notifier.hpp"
#include "sim/world/shortage.hpp"
#include "sim/world/world.hpp"

#include <unordered_map>
#include <utility>

namespace redlatch::io {
namespace {

struct its_thread {
    sim::process* owner = nullptr; ///< null: nothing was posted yet
    bool runs = false;
};

std::unordered_map<void const*, its_thread>& threads() {
    static std::unordered_map<void const*, its_thread> all;
    return all;
}

} // namespace

notifier::~notifier() {
    stop();
    threads().erase(state_.get());
}

bool notifier::on_thread() const noexcept {
    return sim::world::the().context() == state_.get();
}

void notifier::run(std::shared_ptr<shared_state> const& state) {
    auto& in = sim::world::the();
    auto& owner = *threads().at(state.get()).owner;
    in.at(in.now() + in.scheduling_delay(), owner, [state, who = &owner] {
        if (state->tasks.empty()) return;
        auto const first = std::move(state->tasks.front());
        state->tasks.pop_front();
        sim::world::the().as(who, state.get(), first);
    });
}

/// Then one event is due for each task.
bool notifier::start_thread() noexcept {
    auto& mine = threads()[state_.get()];
    if (mine.owner == nullptr) mine.owner = sim::world::the().current();
    if (mine.runs || mine.owner->without_threads) return mine.runs;
    mine.runs = true;
    for (std::size_t i = 0; i < state_->tasks.size(); ++i) run(state_);
    return true;
}

void notifier::start() {
    sim::memory_of_the_world const own;
    if (!state_->stopping && !start_thread()) sim::request_thread(*threads().at(state_.get()).owner); // which throws
}

bool notifier::post(task what) {
    if (state_->stopping) return false;
    sim::request_memory();
    sim::memory_of_the_world const own;
    bool const ran = start_thread();
    state_->tasks.push_back(std::move(what));
    if (ran) run(state_);
    return true;
}

bool notifier::can_run() noexcept {
    sim::memory_of_the_world const own;
    return state_->stopping || start_thread();
}

bool notifier::waits_for_its_thread() noexcept {
    sim::memory_of_the_world const own;
    return !state_->stopping && !state_->tasks.empty() && !start_thread();
}

bool notifier::follow(task what) {
    return !state_->tasks.empty() && post(std::move(what));
}

void notifier::post_always(task what) {
    if (post(what)) return;
    sim::memory_of_the_world const own;
    auto& in = sim::world::the();
    in.at(in.now() + in.scheduling_delay(), *in.current(), std::move(what));
}

void notifier::stop(wait) noexcept {
    if (std::exchange(state_->stopping, true)) return;
    auto const state = state_;
    auto& in = sim::world::the();
    if (on_thread()) return; // it goes on and ends by itself
    while (!state->tasks.empty()) {
        auto const first = std::move(state->tasks.front());
        state->tasks.pop_front();
        in.as(in.current(), state.get(), first);
    }
}

} // namespace redlatch::io
