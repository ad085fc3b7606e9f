// What is due of the lock table: renewals, and the reaper's releases: what these are on the wire, and what becomes of them;
// those of a client that closes, too.
#include "base/hash_slot.hpp"
#include "connection/redirect.hpp"
#include "connection/server_error.hpp"
#include "io/client_core.hpp"

#include <utility>

namespace redlatch::io {

namespace {

locking::wire_call to_call(locking::reaper::job const& job, bool plain) {
    auto about = job.record->context(job.owner_id, base::milliseconds(1));
    about.kept_for = locking::time_until(job.kept_until, lease_clock::now());
    auto const& how = *job.record->how;
    if (job.announce) return locking::command_call(about.publish, about.channel(), {about.message});
    if (plain && about.kept_for.count() == 0 && how.plain != nullptr) return how.plain->release(about);
    return how.release(about);
}

/// What has come of it.
struct reaped {
    bool done = false;  ///< there is nothing left to do
    bool freed = false; ///< the lock was held until this release
    bool gone = false;  ///< it was not held
};

reaped read_answer(locking::reaper::job const& job, bool by_script, connection::call const& answered) {
    if (answered.status != connection::call::state::answered) return {};
    // A message that may not be sent is done with: it is no more than a release by script would have achieved.
    if (job.announce) return {!answered.reply.is_error() || connection::is_missing_right(answered.reply), false};
    if (answered.reply.is_error()) return {};
    auto const& how = *job.record->how;
    auto const said = by_script
                          ? how.read_release(answered.reply)
                          : how.plain->read_release(answered.reply, answered.cut_short ? nullptr : &answered.second);
    using kind = locking::release_answer::kind;
    return {said.announced, said.what == kind::released || said.what == kind::released_silently,
            said.what == kind::not_held};
}

/// Of an id that a script has not found: an HDEL whose answer was lost may have ended it, without a message. Of one that it has
/// found on a node to which the slot is on its way: whoever listens does so on the node that has the slot.
bool is_due_a_message(locking::reaper::job const& job, reaped const& reaped, connection::call const& answered,
                      node& server) {
    if (job.announce || job.has_departed || !job.record->has_channel()) return false;
    if (reaped.freed && answered.behind_asking) return true;
    return reaped.gone && job.record->how->plain != nullptr && server.choice().has_released_plainly();
}

} // namespace

/// What close() waits for, from begin() until nobody has this object any more.
class client_core::awaited_releases {
public:
    explicit awaited_releases(std::weak_ptr<client_core> core) noexcept : core_(std::move(core)) {}
    awaited_releases(awaited_releases const&) = delete;
    awaited_releases& operator=(awaited_releases const&) = delete;
    ~awaited_releases() {
        if (!began_) return;
        if (auto const core = core_.lock()) core->request_ended();
    }

    void begin(client_core& core) noexcept {
        core.request_began();
        began_ = true;
    }

private:
    std::weak_ptr<client_core> const core_;
    bool began_ = false;
};

void client_core::on_table_timer(base::instant due_time) {
    std::vector<locking::lease_keeper::batch> renewals;
    std::vector<locking::reaper::job> jobs;
    std::vector<locking::tenure_ptr> watch;
    auto const awaited = std::make_shared<awaited_releases>(weak_from_this());
    locked([&](locking::lock_table& table, base::wake_list& woken) {
        if (closed()) return; // close() sends what there is to send, and waits for it
        auto const now = lease_clock::now();
        // A timer that an earlier one has overtaken must not make this one be set again beside those that are there.
        if (due_time == armed_for_) armed_for_ = base::never;
        locking::lease_keeper::effects found;
        table.keeper.on_timer(now, found);
        table.apply(found, now, woken);
        renewals = std::move(found.renew);
        watch = std::move(found.watch);
        jobs = table.dead.on_timer(now);
        if (!jobs.empty()) awaited->begin(*this); // close() does not send them, and waits for their answers
    });
    renew_all(renewals);
    for (auto const& job : jobs) reap(job, awaited);
    begin_watches(watch);
}

void client_core::reap(locking::reaper::job const& job, std::shared_ptr<awaited_releases const> const& awaited) {
    auto& where = node_of(job.record->name);
    auto asked = to_call(job, where.choice().releases_plainly(*job.record));
    bool const by_script = asked.is_script();
    auto on_answer = [weak = weak_from_this(), job, by_script, awaited](connection::call const& answered) {
        auto const self = weak.lock();
        if (!self) return;
        auto& server = self->node_of(job.record->name);
        auto const what = read_answer(job, by_script, answered);
        if (by_script && is_due_a_message(job, what, answered, server)) {
            auto message = job;
            message.announce = true;
            self->send(server.data(), to_call(message, false), [awaited](connection::call const&) {});
        }
        if (!by_script && !job.announce && answered.reply.is_error()
            && connection::judge(answered.reply) == connection::verdict::refused
            && self->stop_releasing_plainly(answered.reply, job.record))
            return self->reap(job, awaited);
        if (answered.reply.is_error())
            server.on_write_refused(answered, lease_clock::now());
        else if (what.freed || (!by_script && !job.announce)) // HDEL is a write, whatever it finds
            server.on_written(answered.sent_at, false);
        if (by_script && answered.reply.is_error()
            && connection::judge(answered.reply) == connection::verdict::refused) {
            server.choice().on_script_release_refused(*job.record);
            server.warn_of_remains(*job.record, answered);
        }
        self->locked([&](locking::lock_table& table, base::wake_list& woken) {
            // The head may have asked before this release, and the message may be lost with a silent connection.
            if (what.freed) job.record->queue.tell_head(woken);
            if (what.done)
                table.dead.on_answer(job.number, answered.late_copy_possible, lease_clock::now());
            else
                table.dead.on_failure(job.number, answered.late_copy_possible, lease_clock::now());
        });
    };
    send(where.data(), std::move(asked), std::move(on_answer), {.undoes = true});
}

std::vector<client_core::last_release> client_core::send_releases(std::vector<locking::reaper::job> jobs,
                                                                  base::waker const& waker, bool will_wait) {
    auto const dead =
        locked([](locking::lock_table& table, base::wake_list&) { return table.dead.all_now(lease_clock::now()); });
    jobs.insert(jobs.end(), dead.begin(), dead.end());
    std::vector<last_release> sent;
    sent.reserve(jobs.size());
    bool const several = nodes_.of_cluster() != nullptr;
    if (several) have_thread(); // it reads the answers
    for (auto& job : jobs) {
        auto& where = node_of(job.record->name);
        auto what = to_call(job, where.choice().releases_plainly(*job.record));
        auto call = connection::make_call();
        // Nobody waits for NOSCRIPT: the text of a script.
        call->bytes = what.is_script() ? locking::by_text(*what.text_of, what.bytes) : std::move(what.bytes);
        call->replies = what.replies;
        if (several) call->slot = base::hash_slot(job.record->name);
        if (several || &job == &jobs.back()) call->waker = waker;
        sent.push_back({std::move(job), what.is_script(), std::move(call)});
        where.data().submit(sent.back().call, will_wait && !several);
    }
    return sent;
}

base::instant client_core::time_to_repeat(last_release& sent, base::instant now) {
    auto const& answered = *sent.call;
    if (answered.status != connection::call::state::answered) return base::never;
    auto& job = sent.job;
    auto& server = node_of(job.record->name);
    if (auto* const cluster = nodes_.of_cluster())
        if (auto const elsewhere = connection::read_redirect(answered.reply)) {
            cluster->named(*elsewhere);
            constexpr base::milliseconds on_its_way{20}; // to another node: it is asked when it has the slot
            return elsewhere->what == connection::redirect::kind::moved ? now : base::later(now, on_its_way);
        }
    auto const what = read_answer(job, sent.by_script, answered);
    if (sent.by_script && is_due_a_message(job, what, answered, server)) {
        job.announce = true;
        return now;
    }
    if (what.done) return base::never;
    if (!answered.reply.is_error()) return answered.cut_short ? now : base::never;
    switch (connection::judge(answered.reply)) {
    case connection::verdict::not_executed:
    case connection::verdict::read_only: return server.on_write_refused(answered, now);
    case connection::verdict::refused:
        if (!sent.by_script && !job.announce && stop_releasing_plainly(answered.reply, job.record)) return now;
        break;
    case connection::verdict::wrong_type:
    case connection::verdict::no_script: break;
    }
    return base::never;
}

} // namespace redlatch::io
