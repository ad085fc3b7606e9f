#include "io/command_choice.hpp"

#include "connection/server_error.hpp"

namespace redlatch::io {

void command_choice::on_connected() noexcept {
    bool const plainly = wanted_ != command_set::scripts;
    connection_.fetch_add(1, std::memory_order_relaxed);
    acquires_plainly_.store(plainly, std::memory_order_relaxed);
    releases_plainly_.store(plainly, std::memory_order_relaxed);
    release_script_known_.store(false, std::memory_order_relaxed);
}

command_choice::effect command_choice::on_refused(std::atomic<bool>& plainly, resp::value const& error,
                                                  locking::lock_record& lock) noexcept {
    if (wanted_ == command_set::plain) return effect::none;
    if (connection::reach_of(error) == connection::reach::keys) return on_key_refused(lock);
    return plainly.exchange(false, std::memory_order_relaxed) ? effect::all_locks : effect::known;
}

command_choice::effect command_choice::on_key_refused(locking::lock_record& lock) noexcept {
    if (is_refused(lock)) return effect::known;
    lock.plain_refused_on.store(connection_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return effect::this_lock;
}

void command_choice::on_script_release_refused(locking::lock_record& lock) noexcept {
    if (!is_automatic()) return;
    releases_plainly_.store(true, std::memory_order_relaxed);
    lock.plain_refused_on.store(0, std::memory_order_relaxed);
}

} // namespace redlatch::io
