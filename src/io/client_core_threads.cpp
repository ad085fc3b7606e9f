// The threads of a client, what waits for them where they cannot be started at the moment, and the end of its users' threads.
#include "io/client_core.hpp"
#include "io/insist.hpp"

#include <system_error>

namespace redlatch::io {

void client_core::start() {
    reactor_->start();
}

std::error_code client_core::have_thread() {
    return settings_.lazy_threads ? std::error_code() : need_thread();
}

std::error_code client_core::need_thread() {
    if (reactor_->started() || !reactor_->has_own_thread()) return {};
    try {
        reactor_->start();
    } catch (std::system_error const& problem) {
        return problem.code();
    }
    return {};
}

bool client_core::stop_on_reactor(std::stop_source const& source) {
    if (!reactor_->started() || notifier_.can_run()) return false;
    reactor_->post([source]() mutable { source.request_stop(); });
    return true;
}

/// What the notifier has to tell must not wait for the next event.
void client_core::look_after_notifier() noexcept {
    if (!notifier_.waits_for_its_thread()) return;
    insist([this] {
        constexpr base::milliseconds pause{100};
        reactor_->at(base::later(lease_clock::now(), pause), [weak = weak_from_this()] {
            if (auto const alive = weak.lock()) alive->look_after_notifier();
        });
    });
}

// --- threads of the user's

void client_core::watch_this_thread() {
    if (!subscribe_thread_exit(weak_from_this())) return;
    insist([this] {
        locked([](locking::lock_table& table, base::wake_list&) { table.threads.watch(this_thread_number()); });
    });
}

void client_core::on_thread_exit(std::uint64_t owner_number) noexcept {
    if (forked() || closed()) return;
    insist([&] { locked([&](locking::lock_table& table, base::wake_list&) { table.thread_ended(owner_number); }); });
}

} // namespace redlatch::io
