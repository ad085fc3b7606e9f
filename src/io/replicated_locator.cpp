#include "io/replicated_locator.hpp"

#include "io/insist.hpp"
#include "io/log.hpp"
#include "io/watch_lane.hpp"

#include <optional>
#include <utility>

namespace redlatch::io {
namespace {

/// For another one that says that it is the master too, and stands before the first one in the list.
constexpr base::milliseconds time_for_a_second_master{200};

} // namespace

replicated_locator::replicated_locator(config const& settings, server_set servers, std::string const& name)
    : settings_(settings), servers_(std::move(servers)), name_(name), tls_(servers_.nodes.front().tls, settings.tls),
      who_(login_of(settings, servers_.nodes.front())), choice_(servers_.nodes.size()) {
    for (auto const& one : servers_.nodes) tls_.client_of(one.host_or_path);
}

connection::greeting replicated_locator::words(bool identify) const {
    auto const& one = servers_.nodes.front();
    connection::greeting const usual{one.username, one.password, name_, 0, identify, identify};
    return who_ ? who_->words(usual) : usual;
}

locator::place replicated_locator::place_of(std::size_t index) {
    auto const& where = servers_.nodes[index];
    return {where, tls_.client_of(where.host_or_path)};
}

bool replicated_locator::locate(place& out, base::instant until, errc& reason, std::string& problem) {
    std::optional<std::size_t> master;
    {
        std::lock_guard const held(mutex_);
        if (lease_clock::now() < believed_until_) master = choice_.master();
    }
    if (master) {
        out = place_of(*master);
        return true;
    }
    if (who_ && !who_->ask(problem)) {
        problem = "no credentials for " + servers_.display() + ": " + problem;
        reason = errc::disconnected;
        return false;
    }
    question_round round{{}, words(true), {}, 0, base::milliseconds(0)};
    for (std::size_t at = 0; at < servers_.nodes.size(); ++at) round.servers.push_back(place_of(at));
    std::vector<std::size_t> masters;
    std::size_t ended = 0;
    std::string problems;
    reason = errc::disconnected;
    round.ask(until, bell_, [&](std::size_t index, brief_question const*, std::string const& failed, errc code) {
        ++ended;
        if (failed.empty()) {
            masters.push_back(index);
        } else {
            if (code != errc::disconnected) reason = code;
            problems += (problems.empty() ? "" : "; ") + failed;
        }
        return masters.empty() ? base::never : base::later(lease_clock::now(), time_for_a_second_master);
    });
    if (masters.empty()) {
        problem = "no server of " + servers_.display() + " is a master that can be reached ("
                  + (problems.empty() ? "there was no time to ask" : problems) + ")";
        return false;
    }
    bool two = false;
    {
        std::lock_guard const held(mutex_);
        master = choice_.choose(masters);
        two = masters.size() > 1 && !std::exchange(told_of_two_, true);
    }
    if (two)
        log(log_level::warning, "more than one server of " + servers_.display() + " says that it is the master: "
                                    + "another client may use another one, and locks may be held twice");
    out = place_of(*master);
    return true;
}

void replicated_locator::doubt(endpoint const& endpoint) {
    std::lock_guard const held(mutex_);
    auto const master = choice_.master();
    if (master && servers_.nodes[*master].display() == endpoint.display()) believed_until_ = {};
}

void replicated_locator::watch(std::shared_ptr<reactor> const& loop, on_master tell) {
    loop_ = loop;
    tell_ = std::move(tell);
    for (std::size_t at = 0; at < servers_.nodes.size(); ++at) {
        auto const server = place_of(at);
        auto const traffic = std::make_shared<connection::role_watch>(shared_from_this());
        auto how = watch_lane_settings(settings_, server.where, words(false), server.tls, nullptr);
        how.who = login_of(settings_, server.where);
        auto const line = std::make_shared<lane>(loop, how, traffic, lane::hooks{});
        watched_.push_back({traffic, line});
    }
    for (auto const& one : watched_) begin_watch(*loop, one.line, settings_.lazy_threads);
}

void replicated_locator::wake() noexcept {
    insist([this] {
        loop_->post([weak = weak_from_this()] {
            if (auto const alive = weak.lock()) alive->look();
        });
    });
}

void replicated_locator::look() {
    for (std::size_t at = 0; at < watched_.size(); ++at) {
        std::optional<connection::server_role> news;
        watched_[at].line->with([&] { news = watched_[at].traffic->take_news(); });
        if (news) on_role(at, *news);
    }
}

void replicated_locator::on_role(std::size_t index, connection::server_role role) {
    std::optional<std::size_t> master;
    bool moved = false;
    {
        std::lock_guard const held(mutex_);
        moved = choice_.on_role(index, role);
        master = choice_.master();
        if (moved) believed_until_ = base::later(lease_clock::now(), news_last);
    }
    if (!master || closed_) return;
    auto const& where = servers_.nodes[*master];
    if (moved) log(log_level::info, "the master is " + where.display() + " now");
    // Also where it is no news: one connection may have found out what the others do not know.
    tell_(where, "is not the master any more, which is " + where.display(), moved);
}

void replicated_locator::close() {
    closed_ = true;
    bell_.ring();
    for (auto const& one : watched_) one.line->close();
}

} // namespace redlatch::io
