// Long because the roles and their transitions are one protocol under one mutex (its table is in the header): divided, it
// could not be held against its invariants.
#include "io/lane.hpp"

#include "base/assert.hpp"
#include "base/error_text.hpp"
#include "io/insist.hpp"
#include "io/watched_attempt.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace redlatch::io {
namespace {

/// With more than this many answers due, the reader sends for everybody: one system call for what has gathered.
constexpr std::size_t busy_lane = 16;
/// What has gathered on the reactor is sent when its iteration ends, or when it is so much: the server works while we go on.
constexpr std::size_t enough_gathered = 4 * 1024;
constexpr base::milliseconds tick{20};

} // namespace

lane::lane(std::shared_ptr<reactor> reactor, settings config, std::shared_ptr<connection::traffic> carried,
           hooks to_tell)
    : reactor_(std::move(reactor)), settings_(std::move(config)), hooks_(std::move(to_tell)),
      traffic_(std::move(carried)), where_(settings_.where), random_(settings_.seed) {}

lane::~lane() = default;

// --- what callers do

void lane::with(base::function_ref<void()> act) {
    lock held(mutex_);
    act();
}

void lane::submit(base::function_ref<void()> act, bool will_wait, base::instant now) {
    afterwards next;
    lock held(mutex_);
    act();
    note_due(now);
    if (link_ == link::down && !resting_) {
        next.thread = connecting_;
        if (!connecting_) next.connect = connecting_ = true;
    }
    if (link_ == link::up && !will_wait && reactor_->gathers()) {
        if (traffic_->out.waiting() >= enough_gathered)
            flush(held, next, nullptr);
        else if (!traffic_->out.empty() && !gathering_)
            next.gather = gathering_ = true;
    } else {
        flush(held, next, nullptr);
    }
    if (link_ == link::up && !will_wait && read_ == read::none) {
        read_ = read::armed;
        arm();
    }
    settle(held, next);
}

bool lane::wait(parker& me, condition ready, base::instant until) {
    parked place{&me, ready};
    afterwards next;
    lock held(mutex_);
    try {
        bool const satisfied = wait(held, next, place, until);
        settle(held, next, &me);
        return satisfied;
    } catch (...) {
        if (!held.owns_lock()) held.lock();
        std::erase(parked_, &place);
        if (read_ == read::caller && reader_ == &me) give_up_reading(next);
        settle(held, next, &me);
        throw;
    }
}

bool lane::wait(lock& held, afterwards& next, parked& place, base::instant until) {
    auto& me = *place.who;
    bool satisfied = false;
    for (bool looked = false;; looked = true) {
        satisfied = place.ready();
        // The first look at the clock can wait: whoever leads or parks will not sleep beyond `until`.
        if (satisfied || (looked && lease_clock::now() >= until)) break;
        bool const mine = read_ == read::caller && reader_ == &me;
        if (link_ == link::up && (mine || read_ == read::none || read_ == read::armed)) {
            read_ = read::caller;
            reader_ = &me;
            lead(held, next, me, until);
            if (next.pending()) {
                settle(held, next, &me);
                held.lock();
            }
            continue;
        }
        parked_.push_back(&place);
        if (mine) leave(next); // the link is gone; the role goes back before we sleep
        settle(held, next, &me);
        me.park(until);
        held.lock();
        std::erase(parked_, &place);
    }
    if (read_ == read::caller && reader_ == &me) leave(next);
    return satisfied;
}

/// There was no memory for what has come: where the next answer begins is not known any more.
void lane::give_up_reading(afterwards& next) {
    lose(next, "sent more than there is memory for");
    leave(next);
}

/// Unlocks, then does what must not be done under the mutex.
void lane::settle(lock& held, afterwards& next, parker const* me) {
    if (link_ == link::closed && std::exchange(next.retire, false)) close_descriptor(); // the reactor may have ended
    if (unwatched_ && !ticking_) next.start_tick = ticking_ = true;
    held.unlock();
    next.woken.wake_all(me);
    if (!next.pending()) return;
    auto const post = [&](void (lane::*step)()) { // what is noted as under way must come
        insist([&] {
            reactor_->post([self = weak_from_this(), step] {
                if (auto const alive = self.lock()) (alive.get()->*step)();
            });
        });
    };
    if (next.gather) reactor_->at_end_of_iteration(shared_from_this());
    if (next.retire) post(&lane::retire);
    if (next.connect) post(&lane::begin_connecting);
    if (next.thread) reactor_->start_if_overdue();
    if (next.late && hooks_.late_replies) insist([&] { reactor_->post(hooks_.late_replies); });
    if (next.refused) post(&lane::tell_of_missing_rights);
    if (next.start_tick)
        insist([&] {
            reactor_->at(base::later(lease_clock::now(), tick), [self = weak_from_this()] {
                if (auto const alive = self.lock()) alive->on_tick();
            });
        });
    if (!next.lost_because.empty() && hooks_.lost) insist([&] { hooks_.lost(next.lost_because); });
    next = {};
}

// --- writing

void lane::note_due(base::instant now) noexcept {
    if (due_since_ == base::never && traffic_->expects_reply()) due_since_ = now;
}

void lane::flush(lock& held, afterwards& next, parker const* me) {
    if (link_ != link::up) return;
    if (!ticking_) next.start_tick = ticking_ = true;
    if (traffic_->out.empty() || write_ != write::none) return;
    bool const another_reads = read_ == read::caller && reader_ != me;
    if (another_reads && traffic_->due() > busy_lane) {
        if (!reader_told_) next.woken.add(reader_->as_waker());
        reader_told_ = true;
        return;
    }
    send_all(held, next);
}

void lane::send_all(lock& held, afterwards& next) {
    write_ = write::busy;
    for (;;) {
        if (sent_ == sending_.size()) {
            sending_.clear();
            sent_ = 0;
            if (traffic_->out.empty()) {
                write_ = write::none;
                return;
            }
            traffic_->out.take(sending_);
        }
        held.unlock();
        auto const count = wire_.send(sending_.data() + sent_, sending_.size() - sent_);
        auto const problem = errno;
        std::string failure;
        if (count < 0) failure = wire_.failure(count, problem);
        held.lock();
        if (link_ != link::up) {
            write_ = write::none;
            next.retire = true;
            return;
        }
        if (count > 0) {
            sent_ += static_cast<std::size_t>(count);
        } else if (problem == EAGAIN) {
            traffic_->out.not_taken(sending_.size() - sent_);
            write_ = write::blocked;
            if (read_ == read::caller)
                next.woken.add(reader_->as_waker());
            else {
                read_ = read_ == read::none ? read::armed : read_;
                if (read_ == read::armed) arm();
            }
            return;
        } else if (problem != EINTR) {
            write_ = write::none;
            lose(next, failure);
            return;
        }
    }
}

// --- reading

base::instant lane::silent_at() const noexcept {
    if (due_since_ == base::never) return base::never;
    return base::later(std::max(due_since_, heard_), settings_.timeout);
}

bool lane::silent(base::instant now) const noexcept {
    return now >= silent_at();
}

void lane::lead(lock& held, afterwards& next, parker& me, base::instant until) {
    reader_told_ = false;
    if (write_ == write::blocked) {
        traffic_->out.tried_again(sending_.size() - sent_);
        send_all(held, next);
    } else {
        flush(held, next, &me);
    }
    if (link_ != link::up) return;
    short const events = write_ == write::blocked ? static_cast<short>(POLLIN | POLLOUT) : short{POLLIN};
    auto const wake_at = std::min(until, silent_at());
    auto const fd = wire_.fd();
    settle(held, next, &me); // all of it, the tick too: the poll may last for ever
    auto const seen = me.poll(fd, events, bell_.get(), wake_at);
    // The descriptor is ours until we leave, also when the link was lost meanwhile.
    bool const readable = (seen & ~POLLOUT) != 0;
    auto const count = readable ? wire_.receive(incoming_.get(), room()) : 0;
    std::string failure;
    if (count < 0) failure = wire_.failure(count, errno);
    held.lock();
    if (link_ != link::up) return;
    if (readable)
        take(count, failure, next);
    else if (silent(lease_clock::now()))
        lose(next, "did not answer in time");
    if (next.woken.has_others(&me)) { // they should not wait for our next look
        held.unlock();
        next.woken.wake_all(&me);
        held.lock();
    }
}

/// The holder of the read role takes what is there.
void lane::receive(lock& held, afterwards& next) {
    held.unlock();
    auto const count = wire_.receive(incoming_.get(), room());
    std::string failure;
    if (count < 0) failure = wire_.failure(count, errno);
    held.lock();
    if (link_ == link::up) take(count, failure, next);
}

/// What the wire has brought.
void lane::take(long count, std::string const& failure, afterwards& next) {
    if (count == 0) return lose(next, "closed the connection");
    if (count < 0) {
        if (!failure.empty()) lose(next, failure);
        return;
    }
    auto const now = lease_clock::now();
    heard_ = now;
    replies_.feed({incoming_.get(), static_cast<std::size_t>(count)});
    for (;;) {
        resp::value reply;
        auto const result = replies_.next(reply);
        if (result == resp::reader::result::need_more) break;
        if (result == resp::reader::result::broken) return lose(next, "broken reply: " + replies_.problem());
        if (!traffic_->on_value(std::move(reply), now, next.woken)) return lose(next, "sent a reply to no request");
        failures_ = 0; // it is of use: the next one need not wait
    }
    next.late = traffic_->has_late();
    next.refused = !traffic_->missing_rights.empty();
    due_since_ = traffic_->expects_reply() ? std::min(due_since_, now) : base::never;
}

void lane::catch_up() {
    afterwards next;
    lock held(mutex_);
    if (link_ != link::up || (read_ != read::none && read_ != read::armed)) return;
    read_ = read::reading;
    try {
        receive(held, next);
        leave(next);
    } catch (...) {
        if (!held.owns_lock()) held.lock();
        give_up_reading(next);
        settle(held, next);
        throw;
    }
    settle(held, next);
}

void lane::leave(afterwards& next) {
    reader_ = nullptr;
    reader_told_ = false;
    if (link_ != link::up) {
        read_ = read::none;
        next.retire = true;
        return;
    }
    for (auto* const other : parked_) {
        if (other->ready()) continue;
        read_ = read::caller;
        reader_ = other->who;
        next.woken.add(other->who->as_waker());
        return;
    }
    bool const needed =
        traffic_->expects_reply() || traffic_->has_sleepers() || !traffic_->out.empty() || write_ == write::blocked;
    read_ = needed ? read::armed : read::none;
    if (needed)
        arm();
    else if (traffic_->listens() && !ticking_
             && !watches_end_) // whoever waits for messages will come back; the tick, if nobody does
        next.start_tick = ticking_ = true;
}

void lane::arm() {
    // Not while somebody is sending: that one looks again by itself, and the socket would be writable all the time.
    bool const something_to_send =
        write_ == write::blocked || (write_ == write::none && !gathering_ && !traffic_->out.empty());
    watch(something_to_send ? EPOLLIN | EPOLLOUT : EPOLLIN);
    watches_end_ = false;
}

/// Nobody needs what comes: it waits in the kernel until somebody looks. Only the end of the connection is news.
void lane::watch_for_end() {
    watch(EPOLLRDHUP);
    watches_end_ = true;
}

void lane::watch(std::uint32_t events) {
    unwatched_ = !reactor_->arm(wire_.fd(), events, token_, !registered_);
    registered_ = registered_ || !unwatched_;
}

/// The reactor has nothing better to do than to watch for an end; messages that nobody waits for do not wake it.
void lane::arm_at_leisure() {
    if (traffic_->listens()) return watch_for_end();
    read_ = read::armed;
    arm();
}

void lane::on_event(std::uint32_t events) {
    afterwards next;
    lock held(mutex_);
    bool const ended = std::exchange(watches_end_, false) && read_ == read::none;
    if (link_ != link::up || (read_ != read::armed && !ended)) return;
    read_ = read::reading;
    if (write_ == write::blocked) {
        traffic_->out.tried_again(sending_.size() - sent_);
        send_all(held, next);
    } else {
        flush(held, next, nullptr);
    }
    if (link_ == link::up && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) receive(held, next);
    leave(next);
    if (link_ == link::up && read_ == read::none) arm_at_leisure();
    settle(held, next);
}

void lane::run() {
    afterwards next;
    lock held(mutex_);
    gathering_ = false;
    flush(held, next, nullptr);
    settle(held, next);
}

void lane::on_tick() {
    afterwards next;
    lock held(mutex_);
    bool again = false;
    if (link_ == link::up) {
        if (silent(lease_clock::now())) {
            lose(next, "did not answer in time");
            traffic_->on_unreachable(next.woken);
        } else if (read_ == read::none) {
            arm_at_leisure();
            again = read_ == read::armed || unwatched_;
        } else {
            if (read_ == read::armed && unwatched_) arm();
            // A caller that reads, and is owed nothing, needs no tick: whoever sends, or leaves the role, begins it anew.
            again = read_ == read::reading || unwatched_ || traffic_->expects_reply();
        }
    }
    ticking_ = again;
    next.start_tick = again;
    settle(held, next);
}

void lane::on_ping_time(std::uint64_t epoch) {
    base::instant when = base::never;
    submit(
        [&] {
            if (epoch != epoch_ || link_ != link::up) return;
            auto const now = lease_clock::now();
            if (now - heard_ >= settings_.ping_interval && !traffic_->expects_reply()) traffic_->stage_ping(now);
            when = base::later(now, settings_.ping_interval);
        },
        false);
    if (when != base::never)
        reactor_->at(when, [self = weak_from_this(), epoch] {
            if (auto const alive = self.lock()) alive->on_ping_time(epoch);
        });
}

// --- losing and finding the server

/// Where memory is missing only the reason is: what is lost has to be replaced all the same.
void lane::lose(afterwards& next, std::string_view reason) noexcept {
    if (link_ != link::up) return;
    link_ = link::lost;
    if (write_ == write::blocked) write_ = write::none;
    auto const now = lease_clock::now();
    trouble_since_ = due_since_ == base::never ? now : std::max(due_since_, heard_); // if it fell silent, since then
    traffic_->on_down(now, next.woken);
    due_since_ = base::never;
    if (read_ == read::caller) next.woken.add(reader_->as_waker());
    next.retire = true;
    try {
        trouble_ = "the server " + where_.display() + " ";
        trouble_ += reason;
        next.lost_because = trouble_;
    } catch (std::bad_alloc const&) {
        trouble_ = next.lost_because = "was lost"; // short enough to need none
    }
}

void lane::reconnect(std::string const& reason, condition still) {
    afterwards next;
    lock held(mutex_);
    if (still()) lose(next, reason);
    settle(held, next);
}

void lane::close_descriptor() noexcept {
    if (!can_retire()) return; // whoever leaves last comes here again
    if (registered_) reactor_->disregard(wire_.fd());
    registered_ = unwatched_ = watches_end_ = false;
    wire_.reset();
}

void lane::retire() {
    lock held(mutex_);
    if (link_ != link::lost || !can_retire()) return;
    close_descriptor();
    read_ = read::none;
    sending_.clear();
    sent_ = 0;
    auto const token = std::exchange(token_, 0);
    bool const again = !connecting_ && !resting_;
    link_ = link::down;
    if (again) connecting_ = true;
    auto const pause = next_pause();
    held.unlock();
    if (token != 0) reactor_->unwatch(token);
    if (again) connect_after(pause);
}

/// Without a bell whoever reads could not be woken: neither its deadline nor a stop request would end its wait.
bool lane::make_bell(std::string& problem) {
    std::string where;
    {
        lock held(mutex_);
        if (bell_) return true;
        where = where_.display();
    }
    unique_fd fresh(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fresh) {
        problem = "the server " + where + " cannot be reached: no eventfd can be made (" + base::error_text(errno)
                  + "); raise the limit of open files";
        return false;
    }
    auto fresh_room = std::make_unique_for_overwrite<char[]>(room());
    lock held(mutex_);
    bell_ = std::move(fresh);
    incoming_ = std::move(fresh_room);
    return true;
}

bool lane::up(wire fresh, connection::identity const& self, endpoint const& endpoint, std::string& problem) {
    if (!make_bell(problem)) return false;
    auto const token = reactor_->watch(shared_from_this());
    afterwards next;
    std::uint64_t epoch = 0;
    {
        lock held(mutex_);
        attempt_.reset();
        connecting_ = moved_ = false;
        if (link_ != link::down) {
            held.unlock();
            reactor_->unwatch(token);
            return true;
        }
        if (settings_.places) where_ = endpoint;
        wire_ = std::move(fresh);
        token_ = token;
        link_ = link::up;
        read_ = read::reading;
        replies_ = resp::reader();
        epoch = ++epoch_;
        ++failures_; // until it has answered something: a server that greets and hangs up is not to be hammered
        trouble_.clear();
        auto const now = lease_clock::now();
        heard_ = now;
        due_since_ = base::never;
        traffic_->on_up(self, now, next.woken);
        note_due(now);
        flush(held, next, nullptr);
        leave(next);
        settle(held, next);
    }
    if (settings_.ping_interval.count() > 0)
        reactor_->at(base::later(lease_clock::now(), settings_.ping_interval), [weak = weak_from_this(), epoch] {
            if (auto const alive = weak.lock()) alive->on_ping_time(epoch);
        });
    if (hooks_.connected) hooks_.connected(self);
    return true;
}

void lane::tell_of_missing_rights() {
    std::vector<connection::missing_right> all;
    with([&] { all.swap(traffic_->missing_rights); });
    if (hooks_.missing_rights) hooks_.missing_rights(all);
}

base::instant lane::unheard_since() {
    lock held(mutex_);
    if (link_ != link::up && !trouble_.empty()) return trouble_since_;
    return due_since_ == base::never ? lease_clock::now() : std::max(due_since_, heard_);
}

base::instant lane::silent_since() {
    auto const since = unheard_since();
    return since == base::instant() ? lease_clock::now() : since;
}

std::string lane::display() {
    lock held(mutex_);
    return where_.display();
}

std::string lane::trouble() {
    lock held(mutex_);
    return trouble_;
}

bool lane::cannot_connect() {
    lock held(mutex_);
    return link_ == link::down && failures_ > 0;
}

void lane::rest(bool resting) {
    afterwards next;
    lock held(mutex_);
    if (std::exchange(resting_, resting) == resting) return;
    if (!resting) { // whether it can be reached is not known any more
        if (link_ == link::down && !connecting_) trouble_.clear();
        return;
    }
    if (link_ == link::up) {
        lose(next, "is not needed any more");
        next.lost_because.clear(); // that is no trouble
        trouble_.clear();
    }
    settle(held, next);
}

void lane::close() {
    afterwards next;
    lock held(mutex_);
    if (link_ == link::closed) return;
    link_ = link::closed;
    if (write_ == write::blocked) write_ = write::none;
    traffic_->on_closed(next.woken);
    due_since_ = base::never;
    auto const attempt = std::exchange(attempt_, nullptr);
    // Whoever is parked waits for something that has ended just now, and is woken for that.
    if (read_ == read::caller) next.woken.add(reader_->as_waker());
    next.retire = true;
    auto const token = std::exchange(token_, 0);
    settle(held, next);
    if (token != 0) reactor_->unwatch(token);
    if (attempt) reactor_->post([attempt] { attempt->expire(); });
}

} // namespace redlatch::io
