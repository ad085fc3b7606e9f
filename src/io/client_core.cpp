#include "io/client_core.hpp"

#include "connection/holder_label.hpp"
#include "connection/server_error.hpp"
#include "io/fork_guard.hpp"
#include "io/give_back.hpp"
#include "io/holder_label.hpp"
#include "io/insist.hpp"
#include "io/log.hpp"
#include "io/open_descriptors.hpp"
#include "io/opening_pause.hpp"
#include "io/random_seed.hpp"
#include "io/server_set.hpp"
#include "io/unattended.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace redlatch::io {
namespace {

locking::local_handoff::settings handoff_settings(config const& settings) {
    auto const& how = settings.local_handoff;
    return {how.enabled, how.time, how.strict};
}

/// Not where credentials could not be had, nor where servers have answered that they are replicas, nor of an address that the
/// configuration does not have.
bool is_about_address(std::string const& problem) {
    auto const says = [&](char const* words) { return problem.find(words) != std::string::npos; };
    return !problem.starts_with("no credentials") && !says("topology.address_map")
           && (says("cannot be reached") || !says(" is a replica"));
}

} // namespace

client_core::client_core(config const& settings, server_set const& servers, std::optional<user_loop> loop)
    : settings_(settings), id_(random_uuid()), label_(holder_label(settings)), generation_(fork_generation()),
      loop_(std::move(loop)),
      reactor_(std::make_shared<reactor>(loop_ ? reactor::driver::user_loop : reactor::driver::own_thread)),
      table_({id_, settings.lock_watchdog_timeout, settings.validity_margin,
              static_cast<std::size_t>(settings.renewal_batch), random_seed(), handoff_settings(settings),
              settings.watched_holds > 0 ? hold_watch::from_age : base::milliseconds(0),
              settings.fair_lock_wait_timeout, servers.mode == server_mode::cluster,
              servers.mode != server_mode::single}),
      nodes_(reactor_, settings, servers, connection::connection_name(settings.client_name, id_, label_),
             cluster_hooks()),
      watched_([this](locking::lock_record const& lock) -> subscriber& { return node_of(lock.name).messages(); },
               static_cast<std::size_t>(settings.watched_holds)) {
    if (servers.mode != server_mode::single) permits_held_.remember_departures();
    table_.records.publish_by(publishing_);
    counters_.publish_by(publishing_);
}

node::hooks client_core::node_hooks() {
    node::hooks hooks;
    hooks.reconnected = [this](std::string const& address, char const* role, bool another) {
        on_reconnected(address, role, another);
    };
    hooks.disconnected = [this](std::string const& reason) {
        if (!closed()) tell({event::kind::disconnected, {}, {}, reason});
    };
    hooks.tell = [this](event const& event) { tell(event); };
    hooks.tell_when_heard = [this](event const& event) { tell_when_heard(event); };
    return hooks;
}

cluster::hooks client_core::cluster_hooks() {
    return {.of_node = [this] { return node_hooks(); },
            .moved = [this](cluster::slots const& moved) { on_slots_moved(moved); },
            .sharded = [this](bool sharded) { publishing_.use_shards(sharded); }};
}

std::shared_ptr<client_core> client_core::open(config const& settings, std::optional<user_loop> loop) {
    settings.validate();
    auto const servers = resolve_servers(settings);
    std::shared_ptr<client_core> core(new client_core(settings, servers, std::move(loop)), [](client_core* dropped) {
        if (dropped->forked()) {
            close_descriptors_of_parent();
            return; // its threads, mutexes and sockets are the parent's: leave them as they are
        }
        delete dropped;
    });
    if (settings.connect == connect_mode::eagerly)
        core->connect();
    else
        core->nodes_.connect_later();
    core->nodes_.watch(core->reactor_);
    return core;
}

void client_core::connect() {
    base::random_source random(random_seed());
    for (int attempt = 0;; ++attempt) {
        auto reason = errc::disconnected;
        std::string problem;
        auto const until = base::later(lease_clock::now(), settings_.connect_timeout);
        if (nodes_.connect_now(until, reason, problem)) return;
        if (reason != errc::disconnected) throw error(reason, problem);
        if (attempt >= settings_.retry_attempts)
            throw error(reason,
                        problem + (attempt == 0 ? "" : " (" + std::to_string(attempt + 1) + " attempts)")
                            + (is_about_address(problem) ? "; check the address, and that the server runs" : ""));
        std::this_thread::sleep_for(opening_pause(attempt, settings_.retry_delay, random));
    }
}

client_core::~client_core() {
    close();
    reactor_->stop();
    notifier_.stop(loop_ && on_own_thread() ? notifier::wait::no : notifier::wait::yes);
}

bool client_core::forked() const noexcept {
    return fork_generation() != generation_;
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
    next.armed_before = armed_for_;
    if (due < armed_for_) next.arm_at = armed_for_ = due;
    if (table_.has_notices()) next.notices = table_.take_notices();
    next.watch_ended = table_.take_watch_ended();
    held.unlock();
    next.woken.wake_all();
    if (next.arm_at != base::never && !insist([&] { arm(next.arm_at); })) {
        std::lock_guard again(table_mutex_); // whoever comes next arms it
        if (armed_for_ == next.arm_at) armed_for_ = next.armed_before;
    }
    for (auto const& one : next.notices) insist([&] { publish(one); });
    if (next.watch_ended) insist([&] { end_watches(); });
}

void client_core::arm(base::instant due_time) {
    reactor_->at(due_time, [weak = weak_from_this(), due_time] {
        if (auto const alive = weak.lock()) alive->on_table_timer(due_time);
    });
    have_thread(); // if it cannot be started now, the next one tries again
}

void client_core::renew_all(std::vector<locking::lease_keeper::batch> const& renewals) {
    for (auto const& batch : renewals) renew(batch);
}

void client_core::send(call_lane& lane, locking::wire_call call, unattended::handler then,
                       unattended::terms conditions) {
    unattended::send(reactor_, lane, std::move(call), std::move(then), conditions);
}

bool client_core::knows_how_to_publish() const {
    auto* const servers = nodes_.of_cluster();
    return servers == nullptr || servers->knows_shards();
}

// --- news

void client_core::on_reconnected(std::string const& address, char const* role, bool another) {
    reconnects_.fetch_add(1, std::memory_order_relaxed);
    auto const message = another ? "the new master " + address + " answers" : "the server " + address + " is back";
    log(log_level::info, message + " (" + role + " connection)");
    tell({event::kind::reconnected, {}, {}, message});
    bool const of_releases = std::string_view(role) == "data";
    if (another && of_releases) repeat_departures([](std::string_view) { return true; });
    verify_all();
}

/// The new node of a slot may not know what the former one knew: a replica takes over without what it had not heard of.
void client_core::on_slots_moved(cluster::slots const& moved) {
    watched_.follow();
    repeat_departures([&](std::string_view name) { return moved.test(base::hash_slot(name)); });
    verify_all();
}

void client_core::repeat_departures(base::function_ref<bool(std::string_view name)> is_elsewhere) {
    auto const now = lease_clock::now();
    insist([&] {
        locked([&](locking::lock_table& table, base::wake_list&) {
            table.dead.repeat_departures(now,
                                         [&](locking::lock_record const& lock) { return is_elsewhere(lock.name); });
        });
    });
    insist([&] {
        for (auto& one : permits_held_.departed_from(is_elsewhere, now))
            insist([&] { give_back(shared_from_this(), *one.counter, one.release, true); });
    });
}

/// What happened meanwhile is not known: asks about everything that is held.
void client_core::verify_all() {
    std::vector<locking::lease_keeper::batch> renewals;
    locked([&](locking::lock_table& table, base::wake_list& woken) {
        auto const now = lease_clock::now();
        locking::lease_keeper::effects found;
        table.keeper.verify_all(now, found);
        table.apply(found, now, woken);
        renewals = std::move(found.renew);
    });
    renew_all(renewals);
    insist([&] { permits_held_.verify_all(lease_clock::now()); });
}

void client_core::publish(locking::lock_table::notice const& notice) {
    using kind = locking::lock_table::notice::kind;
    auto const& who = *notice.who;
    event news{event::kind::hold_lost, who.record->name, who.owner_id().str(), {}};
    auto const subject = "the hold of " + who.owner_id().str() + " on lock " + locking::shown(who.record->name);
    switch (notice.what) {
    case kind::suspect:
        news.what = event::kind::hold_suspect;
        news.message = subject + " is suspect: its renewal is overdue";
        break;
    case kind::recovered:
        news.what = event::kind::hold_recovered;
        news.message = subject + " is renewed again";
        break;
    case kind::lost: news.message = subject + " is lost"; break;
    case kind::release_failed:
        news.what = event::kind::release_failed;
        news.message = subject + " could not be released as held: it was lost, or its release is still under way";
        break;
    case kind::thread_exited:
        news.what = event::kind::thread_exited_holding;
        news.message = subject + " goes on although its thread has ended; nobody will release it";
        break;
    }
    log(notice.what == kind::recovered ? log_level::info : log_level::warning, news.message);
    if (notice.what == kind::lost) {
        std::stop_source source{std::nostopstate};
        {
            std::lock_guard guard(table_mutex_);
            source = who.lost_source;
        }
        if (source.stop_possible() && !stop_on_reactor(source))
            notifier_.post([source]() mutable { source.request_stop(); });
    }
    tell(news);
    look_after_notifier();
}

void client_core::tell(event const& event) {
    auto const listener = listener_.get();
    if (!listener) return;
    notifier_.post([listener, event] { (*listener)(event); });
    look_after_notifier();
}

void client_core::tell_when_heard(event const& event) {
    if (!listener_.keep(event)) tell(event);
}

void client_core::set_listener(std::function<void(event const&)> listener) {
    if (auto const kept = listener_.set(std::move(listener))) tell(*kept);
}

// --- beginning, and what there is

std::string client_core::new_record(std::string_view counter) {
    static std::atomic<std::uint64_t> last{0};
    return locking::request_record(counter, id_ + ":" + std::to_string(++last));
}

counters client_core::stats() {
    counters now;
    locked([&](locking::lock_table& table, base::wake_list&) {
        now.acquired = table.counted.acquired;
        now.released = table.counted.released;
        now.lost = table.counted.lost;
        now.holds = table.keeper.size();
        now.unresolved = table.dead.unresolved();
    });
    now.unresolved += given_back_.load(std::memory_order_relaxed);
    now.renewals = renewals_.load(std::memory_order_relaxed);
    now.reconnects = reconnects_.load(std::memory_order_relaxed);
    now.waiters = waiting_.load(std::memory_order_relaxed);
    now.commands = nodes_.commands_sent();
    now.subscriptions = nodes_.subscriptions();
    return now;
}

} // namespace redlatch::io
