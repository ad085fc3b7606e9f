// Renewal, and what the server refuses: for one key or for all, plainly or by script.
#include "connection/server_error.hpp"
#include "io/client_core.hpp"
#include "io/log.hpp"
#include "locking/names.hpp"
#include "locking/refused_command.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::io {

bool client_core::use_scripts(command_choice::effect effect, char const* done, resp::value const& error,
                              locking::record_ptr const& lock) {
    using kind = command_choice::effect;
    switch (effect) {
    case kind::none: return false;
    case kind::known: break;
    case kind::this_lock: tell_of_scripts(lock, error.text); break;
    case kind::all_locks:
        log(log_level::warning, "the server " + node_of(lock->name).address() + " refuses plain commands (" + error.text
                                    + "); locks are " + done + " by scripts on this connection");
        break;
    }
    return true;
}

/// The other locks of this connection are taken as before.
void client_core::tell_of_scripts(locking::record_ptr const& lock, std::string const& reason) {
    log(log_level::warning, "the server " + node_of(lock->name).address() + " refuses plain commands on lock "
                                + locking::shown(lock->name) + " (" + reason
                                + "); it is taken and released by scripts on this connection");
    locked([&](locking::lock_table& table, base::wake_list&) { table.records.keep_refused(lock); });
}

bool client_core::stop_acquiring_plainly(resp::value const& error, locking::record_ptr const& lock) {
    return use_scripts(node_of(lock->name).choice().on_acquire_refused(error, *lock), "taken", error, lock);
}

bool client_core::stop_releasing_plainly(resp::value const& error, locking::record_ptr const& lock) {
    return use_scripts(node_of(lock->name).choice().on_release_refused(error, *lock), "released", error, lock);
}

void client_core::renew(locking::lease_keeper::batch const& batch) {
    auto const [lease, delay] = locked([&](locking::lock_table& table, base::wake_list&) {
        return std::pair(table.keeper.lease_of(batch), locking::lease_keeper::delay_of(batch));
    });
    auto& server = node_of(batch.front()->record->name);
    auto& where = server.renewing();
    // An attempt to connect that fails is no reason to wait for the next one while there is another connection.
    bool const has_another = &where == &server.control() && server.data().is_up();
    auto on_answer = [weak = weak_from_this(), batch, lease = lease](connection::call const& answered) {
        auto const self = weak.lock();
        if (!self) return;
        std::optional<std::vector<std::int64_t>> lost;
        if (answered.status == connection::call::state::answered)
            lost = locking::renewal_of(batch).read(answered.reply);
        bool const interrupted = answered.status == connection::call::state::closed;
        if (!interrupted) self->renewals_.fetch_add(1, std::memory_order_relaxed); // or composed anew
        bool const divided = connection::is_of_divided_slot(answered.reply);
        bool const refused =
            !divided && answered.reply.is_error() && connection::judge(answered.reply) == connection::verdict::refused;
        if (answered.reply.is_error() && connection::judge(answered.reply) == connection::verdict::read_only)
            self->node_of(batch.front()->record->name).control().reconnect(answered, "is a replica now");
        // What is refused whatever the key is not asked for one key after the other. Keys of a slot that is on its way
        // are, since each of them is on one node, and at once: the slot may be on its way for longer than a lease.
        bool const by_key =
            divided ? batch.size() > 1 : refused && connection::reach_of(answered.reply) != connection::reach::command;
        if (!divided) self->node_of(batch.front()->record->name).on_renewal_refused(answered.reply);
        if (answered.reply.is_error() && !by_key)
            log(log_level::warning, "renewal of " + std::to_string(batch.size()) + " locks failed, trying again: "
                                        + locking::naming_command(answered.reply.text));
        // Who may not run scripts can take a lock and not renew it: the next one shall learn that when it asks.
        if (refused && !by_key) self->stop_acquiring_plainly(answered.reply, batch.front()->record);
        std::vector<locking::lease_keeper::batch> again;
        std::vector<locking::tenure_ptr> refused_alone;
        self->locked([&](locking::lock_table& table, base::wake_list& woken) {
            if (interrupted && self->closed()) return;
            auto const now = lease_clock::now();
            locking::lease_keeper::effects found;
            if (lost)
                table.keeper.on_answer(batch, *lost, lease, answered.sent_at, found);
            else if (interrupted)
                table.keeper.on_interruption(batch, now, found);
            else if (by_key)
                table.keeper.on_refusal(batch, now, found);
            else
                table.keeper.on_failure(batch, now);
            table.apply(found, now, woken);
            again = std::move(found.renew);
            refused_alone = std::move(found.refused);
        });
        if (!refused_alone.empty()) self->on_renewal_refused(refused_alone, answered.reply);
        self->renew_all(again);
    };
    send(where, locking::lease_keeper::compose(batch, lease + delay), std::move(on_answer),
         {.once = true, .impatient = has_another});
}

/// One key each: the next one who asks for it shall learn that it cannot be renewed, and not when it is lost.
void client_core::on_renewal_refused(locking::lease_keeper::batch const& batch, resp::value const& error) {
    for (auto const& one : batch) {
        log(log_level::warning, "lock " + locking::shown(one->record->name) + " of " + one->owner_id().str()
                                    + " cannot be renewed (" + error.text
                                    + "): it is lost when its lease is over, unless the server allows it before");
        auto& choice = node_of(one->record->name).choice();
        if (choice.is_automatic() && choice.on_key_refused(*one->record) == command_choice::effect::this_lock)
            tell_of_scripts(one->record, error.text);
    }
}

} // namespace redlatch::io
