#include "io/closing.hpp"

#include "io/client_core.hpp"

#include <algorithm>

namespace redlatch::io {

using locking::lock_table;

bool closing::ready() const {
    if (stage_ == stage::telling) return told_->load(std::memory_order_acquire); // pairs with tell
    return (!last_ || last_->finished()) && core_.releases_have_ended();
}

bool closing::step() {
    if (stage_ == stage::finished) return true;
    if (stage_ == stage::beginning) {
        until_ = base::later(lease_clock::now(), core_.settings().close_timeout);
        core_.any_node().data().barrier(); // an acquisition is staged, and its tenure known, or will not be sent
        core_.locked([&](lock_table& table, base::wake_list& woken) {
            table.end_everything(lease_clock::now(), woken);
            table.closer = waker();
        });
        core_.shared_counters().wake_all();
        if (tell()) return false;
    } else if (stage_ == stage::telling) {
        if (!ready() && lease_clock::now() < at().until) return suspend(nullptr, at().until);
    } else if (!ready()) {
        if (lease_clock::now() >= until_) return finish();
        return suspend(&core_.any_node().data().line(), until_);
    }
    stage_ = stage::releasing;
    last_ = core_.send_releases(waker(), blocking());
    if (!last_ && core_.releases_have_ended()) return finish();
    return suspend(&core_.any_node().data().line(), until_);
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
