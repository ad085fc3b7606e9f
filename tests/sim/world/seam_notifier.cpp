// The thread of users' callbacks as events of the simulated world: linked instead of src/io/notifier.cpp.
#include "io/notifier.hpp"
#include "sim/world/world.hpp"

#include <unordered_map>
#include <utility>

namespace redlatch::io {
namespace {

std::unordered_map<void const*, sim::process*>& owners() {
    static std::unordered_map<void const*, sim::process*> all;
    return all;
}

} // namespace

notifier::~notifier() {
    stop();
    owners().erase(state_.get());
}

bool notifier::on_thread() const noexcept {
    return sim::world::the().context() == state_.get();
}

bool notifier::post(task what) {
    if (state_->stopping) return false;
    state_->tasks.push_back(std::move(what));
    auto& in = sim::world::the();
    auto*& owner = owners()[state_.get()];
    if (owner == nullptr) owner = in.current();
    in.at(in.now() + in.scheduling_delay(), *owner, [state = state_, who = owner] {
        if (state->tasks.empty()) return;
        auto const first = std::move(state->tasks.front());
        state->tasks.pop_front();
        sim::world::the().as(who, state.get(), first);
    });
    return true;
}

bool notifier::waits_for_its_thread() noexcept {
    return false;
}

bool notifier::follow(task what) {
    return !state_->tasks.empty() && post(std::move(what));
}

void notifier::post_always(task what) {
    if (post(what)) return;
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

void notifier::run(std::shared_ptr<shared_state> const&) {}

} // namespace redlatch::io
