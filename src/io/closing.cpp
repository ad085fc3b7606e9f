#include "io/closing.hpp"

#include "io/client_core.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {

using locking::lock_table;

bool closing::ready() const {
    if (stage_ == stage::telling) return told_->load(std::memory_order_acquire); // pairs with tell
    if (stage_ == stage::pausing) return false;
    if (!core_.releases_have_ended()) return false;
    auto const answered = [](client_core::last_release const& one) { return one.call->finished(); };
    // The last one first: on one connection it is the last to be answered, and there may be very many.
    return std::all_of(sent_.rbegin(), sent_.rend(), answered);
}

bool closing::step() {
    switch (stage_) {
    case stage::beginning:
        until_ = base::later(lease_clock::now(), core_.settings().close_timeout);
        core_.servers().barrier(); // an acquisition is staged, and its tenure known, or will not be sent
        core_.locked([&](lock_table& table, base::wake_list& woken) {
            table.end_everything(lease_clock::now(), woken);
            table.closer = waker();
        });
        core_.shared_counters().wake_all();
        return !tell() && send();
    case stage::telling: return !ready() && lease_clock::now() < at().until ? suspend(nullptr, at().until) : send();
    case stage::releasing:
        if (ready()) return on_answered();
        return lease_clock::now() < until_ ? suspend(core_.servers().only_line(), until_) : finish();
    case stage::pausing: return lease_clock::now() < at().until ? suspend(nullptr, at().until) : send();
    case stage::finished: break;
    }
    return true;
}

bool closing::send() {
    stage_ = stage::releasing;
    sent_ = core_.send_releases(std::exchange(to_repeat_, {}), waker(), blocking());
    if (sent_.empty() && core_.releases_have_ended()) return finish();
    return suspend(core_.servers().only_line(), until_);
}

bool closing::on_answered() {
    auto const now = lease_clock::now();
    auto again = now;
    for (auto& one : sent_) {
        auto const when = core_.time_to_repeat(one, now);
        if (when == base::never) continue;
        to_repeat_.push_back(std::move(one.job));
        again = std::max(again, when);
    }
    sent_.clear();
    if (now >= until_) return finish();
    if (again <= now) return send();
    stage_ = stage::pausing;
    return suspend(nullptr, std::min(again, until_));
}

/// Who holds learns that it ends before anybody else can have the lock. False: nobody is to be told.
bool closing::tell() {
    told_ = std::make_shared<std::atomic<bool>>(false);
    bool const under_way = core_.after_notices([told = told_, who = waker()] {
        told->store(true, std::memory_order_release); // pairs with ready
        who->wake();
    });
    if (!under_way) return false;
    stage_ = stage::telling;
    suspend(nullptr, std::min(until_, base::later(lease_clock::now(), longest_telling)));
    return true;
}

bool closing::finish() {
    stage_ = stage::finished;
    core_.locked([&](lock_table& table, base::wake_list&) { table.closer.reset(); });
    return true;
}

} // namespace redlatch::io
