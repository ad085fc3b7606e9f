// Holds that somebody else may have ended: those that have lasted for long are listened for, and the server is asked.
#include "io/client_core.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace redlatch::io {

void client_core::begin_watches(std::vector<locking::tenure_ptr> const& holds) {
    for (auto const& one : holds)
        watched_.begin(one->record, [weak = weak_from_this()](locking::record_ptr const& lock) {
            if (auto const self = weak.lock()) self->on_watch_news(lock);
        });
    // One that has ended since was not there to be given up.
    if (!holds.empty()) end_watches();
}

void client_core::on_watch_news(locking::record_ptr const& lock) {
    reactor_->post([weak = weak_from_this(), lock] {
        auto const self = weak.lock();
        if (!self) return;
        auto const news = self->watched_.look(*lock);
        if (news == hold_watch::event::message) return self->verify_hold(lock);
        if (news == hold_watch::event::refused_for_now) self->listen_again_later();
        self->locked([&](locking::lock_table& table, base::wake_list&) {
            auto const now = lease_clock::now();
            for (auto const& one : table.holders(*lock, now)) table.keeper.verify_soon(one, now);
        });
    });
}

/// On the reactor. All are asked for together.
void client_core::listen_again_later() {
    if (std::exchange(listens_again_, true)) return;
    reactor_->at(base::later(lease_clock::now(), hold_watch::again_after), [weak = weak_from_this()] {
        auto const self = weak.lock();
        if (!self) return;
        self->listens_again_ = false;
        if (!self->closed() && self->watched_.listen_again()) self->listen_again_later();
    });
}

/// On the reactor: whoever releases does not wait for it.
void client_core::end_watches() {
    reactor_->post([weak = weak_from_this()] {
        auto const self = weak.lock();
        if (!self) return;
        self->watched_.end_unless([&](locking::lock_record const& lock) {
            return self->locked(
                [&](locking::lock_table&, base::wake_list&) { return locking::lock_table::is_watched(lock); });
        });
    });
}

void client_core::verify_hold(locking::record_ptr const& record) {
    bool const first = locked([&](locking::lock_table&, base::wake_list&) {
        bool const none = doubted_.empty();
        if (std::find(doubted_.begin(), doubted_.end(), record) == doubted_.end()) doubted_.push_back(record);
        return none;
    });
    if (!first) return; // they are asked about together
    try {
        reactor_->post([weak = weak_from_this()] { // calls that nobody waits for begin there
            if (auto const self = weak.lock()) self->verify_doubted();
        });
    } catch (...) { // whoever comes next tries again
        locked([&](locking::lock_table&, base::wake_list&) { doubted_.clear(); });
        throw;
    }
}

void client_core::verify_doubted() {
    std::vector<locking::lease_keeper::batch> questions;
    locked([&](locking::lock_table& table, base::wake_list&) {
        auto const now = lease_clock::now();
        std::vector<locking::tenure_ptr> held;
        for (auto const& lock : std::exchange(doubted_, {}))
            for (auto& one : table.holders(*lock, now)) held.push_back(std::move(one));
        if (closed()) return;
        locking::lease_keeper::effects found;
        table.keeper.verify(held, now, found);
        questions = std::move(found.renew);
    });
    renew_all(questions);
}

} // namespace redlatch::io
