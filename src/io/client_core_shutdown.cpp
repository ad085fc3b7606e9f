// What a client has under way, and its end: by close(), with its loop, after fork().
#include "io/client_core.hpp"
#include "io/closing.hpp"
#include "io/insist.hpp"
#include "io/open_descriptors.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace redlatch::io {

bool client_core::run(std::shared_ptr<async_task> const& task, std::stop_token const& stop) {
    task->prepare(stop);
    auto const admitted = running_.add(task, [this] { return closed(); });
    if (admitted == running_tasks::admission::first) look_at_tasks_later();
    if (admitted == running_tasks::admission::refused) {
        task->drop();
        return false;
    }
    task->wake();
    return true;
}

void client_core::look_at_tasks_later() {
    insist([this] {
        reactor_->at(base::later(lease_clock::now(), async_task::look), [weak = weak_from_this()] {
            if (auto const alive = weak.lock()) alive->look_at_tasks();
        });
    });
}

void client_core::look_at_tasks() {
    auto const found = running_.inspect(lease_clock::now());
    for (auto const& one : found.near_their_end) one->set_alarm();
    if (found.again) look_at_tasks_later();
}

void client_core::forget(async_task& task) noexcept {
    running_.remove(task);
}

// --- the end

void client_core::close() noexcept {
    if (forked()) return close_descriptors_of_parent(); // what was under way goes on in the parent alone
    if (closed_.exchange(true)) return;
    closing_.request_stop();
    if (loop_) return close_on_loop();
    if (!on_own_thread()) return close_now();
    // Joining our own threads from one of them would wait for ever.
    auto const self = weak_from_this().lock();
    if (!self) return close_now();
    try {
        std::thread([self] { self->close_now(); }).detach();
    } catch (std::exception const&) { // no thread for it: better late on this one than never
        close_now();
    }
}

void client_core::close_now() noexcept {
    insist([this] {
        closing last(*this);
        run_blocking(last);
    });
    end();
}

namespace {

/// The end of a client on its reactor.
class closing_task final : public async_task {
public:
    closing_task(std::shared_ptr<reactor> loop, client_core& core, std::shared_ptr<client_core> keep,
                 std::function<void()> then)
        : async_task(std::move(loop)), what_(core), keep_(std::move(keep)), then_(std::move(then)) {}

private:
    operation& what() noexcept override { return what_; }
    void finished() noexcept override {
        then_();
        keep_.reset();
    }
    void disowned() noexcept override {}

    closing what_;
    std::shared_ptr<client_core> keep_;
    std::function<void()> then_;
};

} // namespace

/// Elsewhere than on the loop, the calling thread runs the iterations that it waits for: the loop may have stopped.
void client_core::close_on_loop() noexcept {
    auto const self = weak_from_this().lock();
    auto const last = std::make_shared<closing_task>(reactor_, *this, self, [this] { end(); });
    last->prepare({});
    last->open();
    last->wake();
    if (!self || !on_own_thread()) finish_on_this_thread();
}

void client_core::finish_on_this_thread() noexcept {
    while (!ended()) {
        reactor_->wait_for_work();
        reactor_->run_ready();
    }
    while (reactor_->run_ready()) { // what the end has brought about
    }
    notifier_.stop();
}

/// Everything is released, or time is over.
void client_core::end() noexcept {
    nodes_.close();
    ended_.store(true, std::memory_order_release); // pairs with ended()
    std::vector<std::shared_ptr<async_task>> running;
    insist([&] { running = running_.all(); });
    for (auto const& one : running) one->run_again(); // wake() may find a run announced that would come too late
    // Everything that waits has been told; the reactor runs what that brought about before it ends.
    reactor_->stop();
    if (!loop_) notifier_.stop(); // a loop of the user's must not wait for a listener of the user's
}

void client_core::abandon() noexcept {
    if (forked()) return;
    for (auto const& one : running_.all()) one->disown(); // nobody else runs an iteration any more
    close();
    finish_on_this_thread(); // where it has ended, too: each task has a last step to come
}

bool client_core::releases_have_ended() const noexcept {
    return table_.releases_under_way.load(std::memory_order_acquire) == 0; // pairs with end_release
}

} // namespace redlatch::io
