// The end of an acquisition whose caller will not have what it acquires: an exception has left it in the middle.
#include "io/acquisition.hpp"
#include "io/insist.hpp"

#include <utility>

namespace redlatch::io {

acquisition::~acquisition() {
    bool const nobody_has_it = level_number_ != 0 && !handed_over_;
    if (core_->forked()) refused_.forget();
    if ((!done_ || nobody_has_it) && !core_->forked()) insist([this] { undo(); });
    stop_counting();
}

void acquisition::undo() {
    call_.abandon();
    if (channel_) node_->messages().detach(std::exchange(channel_, nullptr), waker(), !blocking());
    if (!in_operation_ || !tenure_) return;
    core_->locked([&](locking::lock_table& table, base::wake_list& woken) {
        auto const now = lease_clock::now();
        bool const granted = !done_ && waiter_ && table.leave(waiter_, now, woken); // and with it the turn is gone
        if (granted && level_number_ == 0 && table.accept(waiter_)) level_number_ = waiter_->level_number;
        if (level_number_ != 0) {
            locking::lock_table::set_minimum_hold(*tenure_, level_number_, base::instant::min(),
                                                  now); // nobody has had it
            table.abandon(tenure_, level_number_, now, woken);
        } else if (!granted && !op_.asked().reentry)
            table.give_up(tenure_, true, lease_on_server_,
                          now); // what has been asked of the server is not looked up any more
        in_operation_ = false;
        if (done_ || granted) return;
        tenure_->end_operation(woken);
    });
}

} // namespace redlatch::io
