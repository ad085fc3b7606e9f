#include "io/closing.hpp"

#include "io/client_core.hpp"

namespace redlatch::io {

using locking::lock_table;

bool closing::ready() const {
    return (!last_ || last_->finished()) && core_.releases_have_ended();
}

bool closing::step() {
    if (stage_ == stage::finished) return true;
    if (stage_ == stage::beginning) {
        stage_ = stage::releasing;
        until_ = base::later(lease_clock::now(), core_.settings().close_timeout);
        core_.data().barrier(); // an acquisition is staged, and its tenure known, or will not be sent
        core_.locked([&](lock_table& table, base::wake_list& woken) {
            table.end_everything(lease_clock::now(), woken);
            table.closer = waker();
        });
    } else if (!ready()) {
        if (lease_clock::now() >= until_) return finish();
        return suspend(&core_.data().line(), until_);
    }
    last_ = core_.send_releases(waker(), blocking());
    if (!last_ && core_.releases_have_ended()) return finish();
    return suspend(&core_.data().line(), until_);
}

bool closing::finish() {
    stage_ = stage::finished;
    core_.locked([&](lock_table& table, base::wake_list&) { table.closer.reset(); });
    return true;
}

} // namespace redlatch::io
