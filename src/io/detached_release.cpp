#include "io/detached_release.hpp"

#include "io/insist.hpp"

#include <utility>

namespace redlatch::io {

detached_release::detached_release(std::shared_ptr<client_core> core, locking::tenure_ptr const& tenure,
                                   std::uint64_t level_number)
    : async_task(core->loop()), core_(std::move(core)), tenure_(tenure),
      what_(std::in_place, core_, tenure, level_number, releasing::patience::unlimited) {}

void detached_release::begin(std::shared_ptr<client_core> const& core, locking::tenure_ptr const& tenure,
                             std::uint64_t level_number) {
    if (core->closed()) return; // close() releases it
    auto const one =
        std::allocate_shared<detached_release>(base::recycling<detached_release>(), core, tenure, level_number);
    one->begin_here();
}

void detached_release::begin_here() {
    what_->be_driven_by(weak_from_this());
    bool ended = false;
    try {
        ended = what_->step();
    } catch (...) {
        what_.reset(); // its call's waker holds this object
        throw;
    }
    if (ended) return finished();
    if (!what_->on_its_way()) return go_on_with_the_reactor();
    auto mine = step_of::somebody;
    if (!step_.compare_exchange_strong(mine, step_of::nobody)) look(); // the answer came before
}

void detached_release::wake() noexcept {
    if (with_reactor_.load(std::memory_order_acquire)) return async_task::wake(); // pairs with go_on_with_the_reactor
    for (auto now = step_.load(); now != step_of::somebody_told;) {
        bool const free = now == step_of::nobody;
        if (step_.compare_exchange_weak(now, free ? step_of::somebody : step_of::somebody_told))
            return free ? look() : void();
    }
}

/// What comes next may need the mutex that is held.
void detached_release::wake_under_mutex() noexcept {
    insist([&] { loop().post([self = shared_from_this()] { self->wake(); }); });
}

/// With the step. Whoever has read the answer waits for something else: what is missing here is not for that one.
void detached_release::look() noexcept {
    try {
        take_steps();
    } catch (...) { // no memory: what is left of the release goes to the background
        what_.reset();
        core_.reset();
    }
}

void detached_release::take_steps() {
    for (;;) {
        if (what_->ready()) {
            if (what_->step()) return finished();
            return go_on_with_the_reactor();
        }
        auto mine = step_of::somebody; // a wake may come for nothing
        if (step_.compare_exchange_strong(mine, step_of::nobody)) return;
        step_.store(step_of::somebody);
    }
}

void detached_release::go_on_with_the_reactor() {
    with_reactor_.store(true, std::memory_order_release); // pairs with wake()
    auto const self = std::static_pointer_cast<detached_release>(shared_from_this());
    if (!core_->run(self, {})) finished(); // closed: the reaper has it
}

void detached_release::finished() noexcept {
    auto const core = std::exchange(core_, nullptr);
    if (!core) return;
    if (with_reactor_.load(std::memory_order_relaxed))
        core->forget(*this); // written by this thread, or before the task was open
    bool const failed = static_cast<bool>(what_->result());
    what_.reset(); // its call's waker holds this object
    if (failed)
        insist([&] {
            core->locked([&](locking::lock_table& table, base::wake_list&) {
                table.note(locking::lock_table::notice::kind::release_failed, tenure_);
            });
        });
}

} // namespace redlatch::io
