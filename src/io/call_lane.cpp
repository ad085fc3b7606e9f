#include "io/call_lane.hpp"

#include "connection/auth_refusal.hpp"
#include "connection/connect_op.hpp"
#include "io/login_renewal.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace redlatch::io {
namespace {

/// On the reactor: answers to calls whose callers have left.
void run_late(lane& line, connection::multiplexer& traffic) {
    std::vector<connection::multiplexer::late_reply> all;
    line.with([&] { all = traffic.take_late(); });
    for (auto const& one : all) one.handler(one.reply);
}

/// New credentials are said on the connection that is there. On one that breaks meanwhile they are not needed.
void renew(std::shared_ptr<reactor> const& loop, std::shared_ptr<login> const& login, lane::hooks& told,
           std::shared_ptr<connection::multiplexer> const& traffic, std::shared_ptr<std::weak_ptr<lane>> const& self) {
    auto const renewal =
        std::make_shared<login_renewal>(loop, login, [traffic, self](login_renewal& asked, credentials const& fresh) {
            auto const line = self->lock();
            if (!line || fresh.password.empty()) return;
            auto const call = connection::make_call();
            call->bytes = connection::auth_command(fresh.username, fresh.password);
            call->internal = true;
            call->abandoned = true;
            call->late = [weak = asked.weak_from_this(), password = fresh.password](resp::value const& answer) {
                auto const alive = weak.lock();
                if (alive && answer.is_error())
                    alive->failed("the server refused them (" + connection::shown_refusal(answer.text, password) + ")");
            };
            line->submit(
                [&] {
                    if (traffic->up()) traffic->submit(call, lease_clock::now());
                },
                false);
        });
    told.connected = [renewal, then = std::move(told.connected)](connection::identity const& server) {
        renewal->connected();
        if (then) then(server);
    };
}

} // namespace

struct call_lane::known_scripts {
    std::mutex mutex; // guards what follows
    std::vector<locking::script const*> all{};
};

bool call_lane::wants_text_of(locking::script const& script) {
    std::lock_guard const guard(known_->mutex);
    if (std::find(known_->all.begin(), known_->all.end(), &script) != known_->all.end()) return false;
    known_->all.push_back(&script);
    return true;
}

call_lane::call_lane(std::shared_ptr<reactor> reactor, lane::settings const& settings, lane::hooks to_tell)
    : traffic_(std::make_shared<connection::multiplexer>()), known_(std::make_shared<known_scripts>()) {
    to_tell.connected = [known = known_, then = std::move(to_tell.connected)](connection::identity const& server) {
        {
            std::lock_guard const guard(known->mutex);
            known->all.clear(); // it may have been restarted
        }
        if (then) then(server);
    };
    auto const self = std::make_shared<std::weak_ptr<lane>>(); // known only once the lane is there
    to_tell.late_replies = [self, traffic = traffic_] {
        if (auto const line = self->lock()) run_late(*line, *traffic);
    };
    if (settings.who) renew(reactor, settings.who, to_tell, traffic_, self);
    line_ = std::make_shared<lane>(std::move(reactor), settings, traffic_, std::move(to_tell));
    *self = line_;
}

void call_lane::submit(connection::call_ptr const& call, bool will_wait, std::atomic<bool> const* unless) {
    auto const now = lease_clock::now(); // before the mutex: rather too early than too late
    line_->submit(
        [&] {
            if (unless != nullptr && unless->load(std::memory_order_relaxed)) // the mutex orders it
                connection::multiplexer::refuse(*call);
            else
                traffic_->submit(call, now);
        },
        will_wait, now);
}

void call_lane::submit_all(std::span<connection::call_ptr const> calls, bool will_wait,
                           std::atomic<bool> const* unless) {
    auto const now = lease_clock::now();
    line_->submit(
        [&] {
            bool const refused = unless != nullptr && unless->load(std::memory_order_relaxed); // the mutex orders it
            for (auto const& one : calls) refused ? connection::multiplexer::refuse(*one) : traffic_->submit(one, now);
        },
        will_wait, now);
}

void call_lane::barrier() const {
    line_->with([] {});
}

bool call_lane::abandon(connection::call_ptr const& call, std::function<void(resp::value const&)> late) {
    bool may_run = false;
    bool answered = false;
    line_->submit(
        [&] {
            if (call->finished()) { // its answer came just now: look at it as at a late one
                may_run = true;
                answered = call->status.load(std::memory_order_relaxed) == connection::call::state::answered;
                return;
            }
            call->late = std::move(late);
            may_run = traffic_->abandon(call);
        },
        false);
    if (answered && late) late(call->reply);
    return may_run;
}

void call_lane::retire(bool retired) {
    base::wake_list woken;
    line_->with([&] { traffic_->retire(retired, woken); });
    woken.wake_all();
    line_->rest(retired);
}

void call_lane::send_away(base::function_ref<bool(std::uint16_t)> gone) {
    base::wake_list woken;
    line_->with([&] { traffic_->send_away(gone, woken); });
    woken.wake_all();
}

void call_lane::reconnect(connection::call const& answered, std::string const& reason) {
    line_->reconnect(reason, [&] { return traffic_->connection() == answered.connection; });
}

std::uint64_t call_lane::commands() const {
    std::uint64_t count = 0;
    line_->with([&] { count = traffic_->commands(); });
    return count;
}

bool call_lane::is_up() const {
    bool up = false;
    line_->with([&] { up = traffic_->up(); });
    return up;
}

} // namespace redlatch::io
