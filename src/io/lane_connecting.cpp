// How a lane gets its connection: on the calling thread, or on the reactor after pauses that grow.
#include "base/backoff.hpp"
#include "io/detached_thread.hpp"
#include "io/insist.hpp"
#include "io/lane.hpp"
#include "io/log.hpp"
#include "io/watched_attempt.hpp"

#include <exception>
#include <system_error>
#include <utility>

namespace redlatch::io {
namespace {

/// The place, its addresses, or why they are not known.
struct found_place {
    locator::place there{};
    std::vector<address> addresses{};
    std::string problem{};
};

std::string without_credentials(endpoint const& server, std::string const& problem) {
    return "no credentials for the server " + server.display() + ": " + problem;
}

std::string unreachable(endpoint const& server, std::string const& problem) {
    return "the server " + server.display() + " cannot be reached: " + problem + server.hint();
}

bool is_same_place(endpoint const& one, endpoint const& other) {
    return one.host_or_path == other.host_or_path && one.port == other.port;
}

/// Blocks.
found_place find(lane::settings const& settings, base::instant until) {
    found_place found{{settings.where, settings.tls}, {}, {}};
    errc reason{};
    if (settings.who && !settings.who->ask(found.problem)) {
        found.problem = without_credentials(settings.where, found.problem);
        return found;
    }
    if (settings.places && !settings.places->locate(found.there, until, reason, found.problem)) return found;
    found.addresses = resolve(found.there.where, false, found.problem);
    if (found.addresses.empty() && settings.places) {
        settings.places->doubt(found.there.where);
        found.problem = unreachable(found.there.where, found.problem);
    }
    return found;
}

} // namespace

base::milliseconds lane::next_pause() {
    constexpr base::milliseconds first{50};
    if (failures_ == 0) return base::milliseconds::zero();
    return base::backoff_pause(failures_ - 1, first, settings_.longest_pause, random_);
}

/// On the reactor, with connecting_ set.
void lane::connect_after(base::milliseconds pause) {
    if (pause == base::milliseconds::zero()) return begin_connecting();
    auto const timer = reactor_->at(base::later(lease_clock::now(), pause), [self = weak_from_this()] {
        if (auto const alive = self.lock()) alive->begin_connecting();
    });
    lock held(mutex_);
    pause_ = timer;
}

/// On the reactor, with connecting_ set.
void lane::begin_connecting() {
    {
        lock held(mutex_);
        pause_ = 0;
        moved_ = false;
        if (link_ != link::down || resting_) {
            connecting_ = false;
            return;
        }
    }
    if (!settings_.places && !settings_.who) {
        std::string problem;
        auto addresses = resolve(settings_.where, true, problem);
        if (!addresses.empty() || settings_.where.unix_socket)
            return connect_to({settings_.where, settings_.tls}, std::move(addresses), problem);
    }
    // Other servers, name servers and whoever knows our credentials may be slow: they must not hold up renewals.
    try {
        locate_elsewhere();
    } catch (std::system_error const& no_thread) {
        on_connect_failed("the server " + display()
                          + " cannot be reached: no thread can be started to ask for its address (" + no_thread.what()
                          + ")");
    }
}

/// For the next connection.
connection::greeting lane::words() const {
    return settings_.who ? settings_.who->words(settings_.words) : settings_.words;
}

void lane::locate_elsewhere() {
    auto const until = base::later(lease_clock::now(), settings_.connect_timeout);
    auto const found = std::make_shared<found_place>();
    begin_detached([self = weak_from_this(), settings = settings_, loop = reactor_, until, found] {
        try {
            *found = find(settings, until);
        } catch (std::exception const& problem) {
            insist([&] { found->problem = problem.what(); });
        }
        insist([&] {
            loop->post([self, found] {
                if (auto const still = self.lock())
                    still->connect_to(found->there, std::move(found->addresses), found->problem);
            });
        });
    });
}

void lane::connect_to(locator::place const& there, std::vector<address> addresses, std::string const& problem) {
    if (addresses.empty()) return on_connect_failed(problem);
    auto const attempt = std::make_shared<watched_attempt>(
        *reactor_, connector(there.where, std::move(addresses), words(), there.tls), nullptr);
    attempt->done = [self = weak_from_this(), raw = attempt.get(), there](connector::progress progress) {
        if (auto const alive = self.lock()) alive->on_attempt_ended(there, *raw, progress);
    };
    bool outdated = false; // what was said of the place
    {
        lock held(mutex_);
        if (link_ != link::down) {
            connecting_ = false;
            return;
        }
        outdated = moved_;
        if (!outdated) attempt_ = attempt;
        if (!outdated && settings_.places) where_ = there.where;
    }
    if (outdated) return begin_connecting();
    attempt->begin(base::later(lease_clock::now(), settings_.connect_timeout));
}

void lane::on_attempt_ended(locator::place const& there, watched_attempt& attempt, connector::progress progress) {
    if (progress != connector::progress::ready) {
        if (settings_.places) settings_.places->doubt(there.where);
        return on_connect_failed(attempt.attempt.problem());
    }
    std::string trouble;
    if (!up(attempt.attempt.take_wire(), attempt.attempt.self(), there.where, trouble)) on_connect_failed(trouble);
}

void lane::on_connect_failed(std::string const& problem) {
    base::milliseconds pause{};
    afterwards next;
    bool is_new = false;
    {
        lock held(mutex_);
        attempt_.reset();
        if (link_ != link::down) {
            connecting_ = false;
            return;
        }
        if (trouble_.empty()) trouble_since_ = lease_clock::now();
        is_new = trouble_ != problem;
        trouble_ = problem;
        if (resting_) {
            connecting_ = false;
            return;
        }
        ++failures_;
        if (!moved_) pause = next_pause();
        traffic_->on_unreachable(next.woken);
    }
    next.woken.wake_all();
    if (is_new) insist([&] { log(log_level::warning, problem + "; it is tried again"); });
    connect_after(pause);
    if (hooks_.failed) insist([&] { hooks_.failed(); });
}

void lane::move_to(endpoint const& there, std::string const& reason, bool news) {
    std::shared_ptr<watched_attempt> ended;
    reactor::timer pause = 0;
    {
        afterwards next;
        lock held(mutex_);
        bool const elsewhere = !is_same_place(where_, there);
        if (link_ == link::up && elsewhere) {
            lose(next, reason);
        } else if (news && link_ == link::down && connecting_ && (elsewhere || !attempt_)) {
            moved_ = true;
            ended = attempt_;
            pause = std::exchange(pause_, 0);
        }
        settle(held, next);
    }
    if (ended) return ended->expire();
    if (pause == 0) return;
    reactor_->cancel(pause);
    begin_connecting();
}

bool lane::connect_now(base::instant& until, errc& reason, std::string& problem) {
    locator::place there{settings_.where, settings_.tls};
    if (settings_.places && !settings_.places->locate(there, until, reason, problem)) return false;
    for (;;) {
        locator::place elsewhere;
        auto const end = connect_to_now(there, elsewhere, until, reason, problem);
        if (end != attempt_end::moved) return end == attempt_end::connected;
        there = std::move(elsewhere);
    }
}

/// `elsewhere`: of one that has moved.
lane::attempt_end lane::connect_to_now(locator::place const& there, locator::place& elsewhere, base::instant& until,
                                       errc& reason, std::string& problem) {
    // The server has its time, as for every later connection, however long the names of those were looked up that knew it.
    if (settings_.places) until = std::max(until, base::later(lease_clock::now(), settings_.connect_timeout));
    std::vector<address> addresses;
    auto const asked_at = lease_clock::now();
    bool const known = !settings_.who || settings_.who->ask(problem);
    if (known) addresses = resolve(there.where, false, problem);
    until += lease_clock::now() - asked_at; // the server has its time, and others theirs
    if (addresses.empty()) {
        reason = errc::disconnected;
        problem = known ? unreachable(there.where, problem) : without_credentials(there.where, problem);
        return attempt_end::failed;
    }
    connector attempt(there.where, std::move(addresses), words(), there.tls);
    // A master that says nothing may be one that is replaced just now.
    constexpr base::milliseconds between_questions{1000};
    bool moved = false;
    auto const is_still_there = [&] {
        if (!settings_.places) return true;
        errc ignored{};
        std::string unknown;
        auto const answer_at = base::later(lease_clock::now(), between_questions);
        bool const said = settings_.places->locate(elsewhere, std::min(answer_at, until), ignored, unknown);
        moved = said && !is_same_place(elsewhere.where, there.where);
        return !moved;
    };
    bool const connected = connect_blocking(attempt, until, between_questions, is_still_there);
    if (moved) return attempt_end::moved;
    if (!connected) {
        if (settings_.places) settings_.places->doubt(there.where);
        reason = attempt.reason();
        problem = attempt.problem();
        return attempt_end::failed;
    }
    reason = errc::disconnected;
    bool const is_up = up(attempt.take_wire(), attempt.self(), there.where, problem);
    return is_up ? attempt_end::connected : attempt_end::failed;
}

} // namespace redlatch::io
