#include "io/client_core.hpp"

#include "base/backoff.hpp"
#include "connection/server_error.hpp"
#include "io/fork_guard.hpp"
#include "io/log.hpp"
#include "io/random_seed.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace redlatch::io {
namespace {

/// Control traffic must notice silence while there is time to renew.
base::milliseconds control_timeout(config const& settings) {
    return std::min(settings.timeout, std::max(settings.lock_watchdog_timeout / 6, base::milliseconds(10)));
}

locking::local_passing::settings passing_settings(config const& settings) {
    auto const& how = settings.local_handover;
    return {how.enabled, how.time, how.strict};
}

} // namespace

client_core::client_core(config const& settings, endpoint const& where, std::optional<user_loop> loop)
    : settings_(settings), id_(random_uuid()), generation_(fork_generation()), loop_(std::move(loop)),
      reactor_(std::make_shared<reactor>(loop_ ? reactor::driver::user_loop : reactor::driver::own_thread)),
      table_({id_, settings.lock_watchdog_timeout, settings.validity_margin,
              static_cast<std::size_t>(settings.renewal_batch), random_seed(), passing_settings(settings)}),
      data_(reactor_, lane_settings(where, true, settings.timeout), data_hooks()),
      control_(reactor_, lane_settings(where, true, control_timeout(settings)), lane_hooks("control")),
      messages_(reactor_, lane_settings(where, false, settings.timeout), lane_hooks("subscriber")) {}

lane::settings client_core::lane_settings(endpoint const& where, bool identify, base::milliseconds timeout) const {
    return {where,
            {where.username, where.password, settings_.client_name, where.database, identify},
            timeout,
            settings_.connect_timeout,
            settings_.retry_delay,
            settings_.ping_interval,
            random_seed()};
}

lane::hooks client_core::lane_hooks(char const* which) {
    lane::hooks hooks;
    auto const times = std::make_shared<std::atomic<int>>(0);
    hooks.connected = [this, which, times](connection::identity const&) {
        on_connected(which, times->fetch_add(1) > 0);
    };
    hooks.lost = [this, which](std::string const& why) {
        log(log_level::warning, why + " (" + which + " connection)");
        if (!closed()) tell({event::kind::disconnected, {}, {}, why});
    };
    return hooks;
}

/// Locks are taken and released on this lane; another connection may be to another server, or have other rights.
lane::hooks client_core::data_hooks() {
    auto hooks = lane_hooks("data");
    hooks.connected = [this, then = std::move(hooks.connected)](connection::identity const& self) {
        bool const wanted = settings_.commands != command_set::scripts;
        takes_plainly_.store(wanted, std::memory_order_relaxed);
        releases_plainly_.store(wanted, std::memory_order_relaxed);
        release_script_known_.store(false, std::memory_order_relaxed);
        then(self);
    };
    return hooks;
}

std::shared_ptr<client_core> client_core::open(config const& settings, std::optional<user_loop> loop) {
    settings.validate();
    auto const where = resolve_endpoint(settings);
    std::shared_ptr<client_core> core(new client_core(settings, where, std::move(loop)), [](client_core* which) {
        if (which->forked()) {
            which->close_after_fork();
            return; // its threads, mutexes and sockets are the parent's: leave them as they are
        }
        delete which;
    });
    base::random_source random(random_seed());
    for (int attempt = 0;; ++attempt) {
        auto reason = errc::disconnected;
        std::string problem;
        auto const until = base::later(lease_clock::now(), settings.connect_timeout);
        if (core->data_.line().connect_now(until, reason, problem)) break;
        if (reason != errc::disconnected) throw error(reason, problem);
        if (attempt >= settings.retry_attempts)
            throw error(reason, problem + " (" + std::to_string(attempt + 1)
                                    + " attempts); check the address, and that the server runs");
        std::this_thread::sleep_for(
            base::backoff_pause(attempt, settings.retry_delay, settings.retry_delay * 10, random));
    }
    return core;
}

client_core::~client_core() {
    close();
    reactor_->stop();
    notifier_.stop(loop_ && on_own_thread() ? notifier::wait::no : notifier::wait::yes);
}

bool client_core::forked() const noexcept {
    return fork_generation() != generation_;
}

bool client_core::stop_plain(std::atomic<bool>& which, char const* what, std::string const& why) {
    if (settings_.commands == command_set::plain) return false;
    if (which.exchange(false, std::memory_order_relaxed))
        log(log_level::warning, "the server " + server() + " refuses plain commands (" + why + "); locks are " + what
                                    + " by scripts on this connection");
    return true;
}

bool client_core::stop_taking_plainly(std::string const& why) {
    return stop_plain(takes_plainly_, "taken", why);
}

bool client_core::stop_releasing_plainly(std::string const& why) {
    return stop_plain(releases_plainly_, "released", why);
}

std::error_code client_core::refusal(bool blocking) const noexcept {
    if (forked()) return errc::forked;
    if (closed()) return errc::closed;
    if (blocking && on_own_thread()) return errc::wrong_thread;
    return {};
}

// --- after the table's mutex

void client_core::settle(std::unique_lock<std::mutex>& held, after_table& next) {
    auto const due = std::min(table_.keeper.next(), table_.dead.next());
    if (due < armed_for_) next.arm_at = armed_for_ = due;
    if (table_.has_notices()) next.notices = table_.take_notices();
    held.unlock();
    next.woken.wake_all();
    if (next.arm_at != base::never) arm(next.arm_at);
    for (auto const& one : next.notices) publish(one);
}

void client_core::arm(base::instant when) {
    reactor_->at(when, [weak = weak_from_this(), when] {
        if (auto const alive = weak.lock()) alive->on_table_timer(when);
    });
    if (!settings_.lazy_threads) reactor_->start();
}

void client_core::on_table_timer(base::instant when) {
    std::vector<locking::lease_keeper::batch> renewals;
    std::vector<locking::reaper::job> jobs;
    locked([&](locking::lock_table& table, base::wake_list& woken) {
        if (closed()) return; // close() sends what there is to send, and waits for it
        auto const now = lease_clock::now();
        // A timer that an earlier one has overtaken must not make this one be set again beside those that are there.
        if (when == armed_for_) armed_for_ = base::never;
        locking::lease_keeper::effects found;
        table.keeper.on_timer(now, found);
        table.apply(found, now, woken);
        renewals = std::move(found.renew);
        jobs = table.dead.on_timer(now);
    });
    carry_out(renewals, jobs);
}

void client_core::carry_out(std::vector<locking::lease_keeper::batch> const& renewals,
                            std::vector<locking::reaper::job> const& jobs) {
    for (auto const& batch : renewals) renew(batch);
    for (auto const& job : jobs) reap(job);
}

void client_core::renew(locking::lease_keeper::batch const& which) {
    auto const lease = locking::lease_keeper::lease_of(which);
    renewals_.fetch_add(1, std::memory_order_relaxed);
    send(
        control_, locking::lease_keeper::compose(which, lease),
        [weak = weak_from_this(), which, lease](connection::call const& answered) {
            auto const self = weak.lock();
            if (!self) return;
            std::vector<std::int64_t> lost;
            bool understood = answered.status == connection::call::state::answered && answered.reply.is_array();
            for (auto const& position : answered.reply.items) {
                understood = understood && position.is_integer();
                lost.push_back(position.integer);
            }
            bool const interrupted = answered.status == connection::call::state::closed;
            if (!understood && answered.reply.is_error())
                log(log_level::warning, "renewal of " + std::to_string(which.size())
                                            + " locks failed, trying again: " + answered.reply.text);
            // Who may not run scripts can take a lock and not renew it: the next one shall learn that when it asks.
            if (answered.reply.is_error() && connection::judge(answered.reply) == connection::verdict::refused)
                self->stop_taking_plainly(answered.reply.text);
            std::vector<locking::lease_keeper::batch> again;
            self->locked([&](locking::lock_table& table, base::wake_list& woken) {
                if (interrupted && self->closed()) return;
                auto const now = lease_clock::now();
                locking::lease_keeper::effects found;
                if (understood)
                    table.keeper.on_answer(which, lost, lease, answered.sent_at, found);
                else if (interrupted)
                    table.keeper.on_interruption(which, now, found);
                else
                    table.keeper.on_failure(which, now);
                table.apply(found, now, woken);
                again = std::move(found.renew);
            });
            self->carry_out(again, {});
        },
        true);
}

namespace {

lock_call::question to_question(locking::reaper::job const& job, bool plain) {
    auto const about = job.record->context(job.owner_id, base::milliseconds(1));
    auto const& how = *job.record->how;
    if (job.announce) return how.plain->announce(about);
    if (plain && how.plain != nullptr) return how.plain->release(about);
    return how.release(about);
}

/// What has come of it.
struct reaped {
    bool done = false;  ///< there is nothing left to do
    bool freed = false; ///< the lock was held until this release
    bool gone = false;  ///< it was not held
};

reaped read_answer(locking::reaper::job const& job, lock_call::question const& asked,
                   connection::call const& answered) {
    if (answered.status != connection::call::state::answered) return {};
    // A message that may not be sent is done with: it is no more than a release by script would have achieved.
    if (job.announce) return {!answered.reply.is_error() || answered.reply.is_error_named("NOPERM"), false};
    if (answered.reply.is_error()) return {};
    auto const& how = *job.record->how;
    bool const by_script = std::holds_alternative<locking::script_call>(asked);
    auto const said = by_script
                          ? how.read_release(answered.reply)
                          : how.plain->read_release(answered.reply, answered.cut_short ? nullptr : &answered.second);
    using kind = locking::release_answer::kind;
    return {said.announced, said.what == kind::released || said.what == kind::released_silently,
            said.what == kind::not_held};
}

} // namespace

void client_core::reap(locking::reaper::job const& job) {
    auto const asked = to_question(job, releases_plainly());
    send(data_, asked, [weak = weak_from_this(), job, asked](connection::call const& answered) {
        auto const self = weak.lock();
        if (!self) return;
        auto const what = read_answer(job, asked, answered);
        bool const by_script = std::holds_alternative<locking::script_call>(asked);
        // An HDEL whose answer was lost may have ended it, without a message; a script sends none for what it does not find.
        if (by_script && what.gone && self->released_plainly_.load(std::memory_order_relaxed))
            self->send(self->data_, job.record->how->plain->announce(job.record->context(job.owner_id, {})),
                       [](connection::call const&) {});
        if (!by_script && !job.announce && answered.reply.is_error()
            && connection::judge(answered.reply) == connection::verdict::refused
            && self->stop_releasing_plainly(answered.reply.text))
            return self->reap(job);
        self->locked([&](locking::lock_table& table, base::wake_list& woken) {
            // The head may have asked before this release, and the message may be lost with a silent connection.
            if (what.freed) job.record->queue.tell_head(woken);
            if (what.done)
                table.dead.on_answer(job.number, answered.fenced, lease_clock::now());
            else
                table.dead.on_failure(job.number, answered.fenced, lease_clock::now());
        });
    });
}

namespace {

/// A call on its way without anybody who waits for it.
class unattended final : public base::wakeable, public std::enable_shared_from_this<unattended> {
public:
    unattended(std::shared_ptr<reactor> loop, lock_call::question what,
               std::function<void(connection::call const&)> then, bool once)
        : loop_(std::move(loop)), what_(std::move(what)), then_(std::move(then)), once_(once) {}

    void begin(call_lane& where, std::string bytes) {
        where_ = &where;
        call_ = connection::make_call();
        call_->bytes = std::move(bytes);
        call_->waker = shared_from_this();
        call_->replies = replies();
        call_->once = once_;
        where.submit(call_, false);
        if (call_->finished()) wake(); // the lane was closed already
    }
    int replies() const {
        auto const* const plain = std::get_if<locking::plain_call>(&what_);
        return plain != nullptr ? plain->replies : 1;
    }
    std::string bytes() const {
        auto const* const script = std::get_if<locking::script_call>(&what_);
        return script != nullptr ? script->by_sha() : std::get<locking::plain_call>(what_).bytes;
    }

    void wake() noexcept override {
        loop_->post([self = shared_from_this()] { self->look(); });
    }

private:
    void look() {
        if (!call_ || !call_->finished()) return;
        auto const answered = std::move(call_);
        auto const* const script = std::get_if<locking::script_call>(&what_);
        if (script != nullptr && answered->reply.is_error()
            && connection::judge(answered->reply) == connection::verdict::no_script && !by_text_) {
            by_text_ = true;
            return begin(*where_, script->by_text());
        }
        then_(*answered);
    }

    std::shared_ptr<reactor> loop_;
    lock_call::question what_;
    std::function<void(connection::call const&)> then_;
    call_lane* where_ = nullptr;
    connection::call_ptr call_;
    bool by_text_ = false;
    bool once_;
};

} // namespace

namespace {

/// There is no second try here: the text of a script.
locking::plain_call last_words(lock_call::question const& what) {
    auto const* const script = std::get_if<locking::script_call>(&what);
    return script != nullptr ? locking::plain_call{script->by_text()} : std::get<locking::plain_call>(what);
}

} // namespace

connection::call_ptr client_core::send_releases(base::waker const& who, bool will_wait) {
    auto const jobs = locked([](locking::lock_table& table, base::wake_list&) { return table.dead.all_now(); });
    connection::call_ptr last;
    for (auto const& job : jobs) {
        last = connection::make_call();
        auto what = last_words(to_question(job, releases_plainly()));
        last->bytes = std::move(what.bytes);
        last->replies = what.replies;
        if (&job == &jobs.back()) last->waker = who;
        data_.submit(last, will_wait);
    }
    return last;
}

void client_core::send(call_lane& where, lock_call::question what, std::function<void(connection::call const&)> then,
                       bool once) {
    auto const one = std::make_shared<unattended>(reactor_, std::move(what), std::move(then), once);
    one->begin(where, one->bytes());
}

// --- news

void client_core::on_connected(char const* which, bool again) {
    if (!again) return;
    reconnects_.fetch_add(1, std::memory_order_relaxed);
    log(log_level::info, "the server " + server() + " is back (" + which + " connection)");
    tell({event::kind::reconnected, {}, {}, "the server " + server() + " is back"});
    // What happened meanwhile is not known: ask about everything that is held.
    std::vector<locking::lease_keeper::batch> renewals;
    locked([&](locking::lock_table& table, base::wake_list& woken) {
        auto const now = lease_clock::now();
        locking::lease_keeper::effects found;
        table.keeper.verify_all(now, found);
        table.apply(found, now, woken);
        renewals = std::move(found.renew);
    });
    carry_out(renewals, {});
}

void client_core::publish(locking::lock_table::notice const& what) {
    using kind = locking::lock_table::notice::kind;
    auto const& who = *what.who;
    event news{event::kind::hold_lost, who.record->name, who.owner_id, {}};
    auto const subject = "the hold of " + who.owner_id + " on lock " + locking::shown(who.record->name);
    switch (what.what) {
    case kind::suspect:
        news.what = event::kind::hold_suspect;
        news.sentence = subject + " is suspect: its renewal is overdue";
        break;
    case kind::recovered:
        news.what = event::kind::hold_recovered;
        news.sentence = subject + " is renewed again";
        break;
    case kind::lost: news.sentence = subject + " is lost"; break;
    case kind::release_failed:
        news.what = event::kind::release_failed;
        news.sentence = subject + " could not be released as held: it was lost, or its release is still under way";
        break;
    case kind::thread_exited:
        news.what = event::kind::thread_exited_holding;
        news.sentence = subject + " goes on although its thread has ended; nobody will release it";
        break;
    }
    log(what.what == kind::recovered ? log_level::info : log_level::warning, news.sentence);
    if (what.what == kind::lost) {
        std::optional<std::stop_source> source;
        {
            std::lock_guard guard(table_mutex_);
            source = who.lost_source;
        }
        if (source) notifier_.post([source = *source]() mutable { source.request_stop(); });
    }
    tell(news);
}

void client_core::tell(event const& what) {
    std::shared_ptr<std::function<void(event const&)> const> listener;
    {
        std::lock_guard guard(listener_mutex_);
        listener = listener_;
    }
    if (listener) notifier_.post([listener, what] { (*listener)(what); });
}

void client_core::set_listener(std::function<void(event const&)> listener) {
    auto fresh = listener ? std::make_shared<std::function<void(event const&)> const>(std::move(listener)) : nullptr;
    std::lock_guard guard(listener_mutex_);
    listener_.swap(fresh);
}

void client_core::watch_this_thread() {
    subscribe_thread_exit(weak_from_this());
}

void client_core::on_thread_exit(std::uint64_t owner_number) noexcept {
    if (forked() || closed()) return;
    locked([&](locking::lock_table& table, base::wake_list&) {
        for (auto const& one : table.keeper.all())
            if (one->owner_number == owner_number && one->in(locking::tenure::phase::held))
                table.note(locking::lock_table::notice::kind::thread_exited, one);
        table.forget_lost(owner_number);
    });
}

// --- beginning, and what there is

void client_core::start() {
    reactor_->start();
}

counters client_core::stats() {
    counters now;
    locked([&](locking::lock_table& table, base::wake_list&) {
        now.acquired = table.counted.acquired;
        now.released = table.counted.released;
        now.lost = table.counted.lost;
        now.holds = table.keeper.size();
        now.unresolved = table.dead.size();
    });
    now.renewals = renewals_.load(std::memory_order_relaxed);
    now.reconnects = reconnects_.load(std::memory_order_relaxed);
    now.waiters = waiting_.load(std::memory_order_relaxed);
    now.commands = data_.commands() + control_.commands() + messages_.commands();
    now.subscriptions = messages_.active();
    return now;
}

} // namespace redlatch::io
