#include "io/sentinel_locator.hpp"

#include "io/log.hpp"
#include "io/sentinel_watcher.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::io {
namespace {

/// A Sentinel that has heard of the last failover may answer a little later than one that has not.
constexpr base::milliseconds time_for_a_better_answer{200};

connection::host_and_port place_in(endpoint const& endpoint) {
    return {endpoint.host_or_path, endpoint.port};
}

std::vector<connection::host_and_port> places_of(std::vector<endpoint> const& all) {
    std::vector<connection::host_and_port> places;
    for (auto const& one : all) places.push_back(place_in(one));
    return places;
}

connection::greeting words_for(endpoint const& sentinel, std::string const& name) {
    connection::greeting words;
    words.username = sentinel.username;
    words.password = sentinel.password;
    words.client_name = name;
    words.identify = false;
    words.to_sentinel = true;
    return words;
}

locator::place place_at(connection::host_and_port const& address, endpoint const& like, tls_hosts& tls) {
    locator::place out{like, tls.client_of(address.host)};
    out.where.host_or_path = address.host;
    out.where.port = address.port;
    return out;
}

} // namespace

struct sentinel_locator::findings {
    std::optional<candidate> best{};
    std::string problems{};
    bool all_know_no_such_name = true;
    bool refused = false;

    void add(std::string const& problem) { problems += (problems.empty() ? "" : "; ") + problem; }
};

sentinel_locator::sentinel_locator(config const& settings, server_set servers, std::string const& name)
    : settings_(settings), servers_(std::move(servers)), words_(words_for(servers_.nodes.front(), name)),
      who_(login_of_sentinels(settings)), tls_of_servers_(servers_.master.tls, settings.tls),
      tls_of_sentinels_(servers_.nodes.front().tls, settings.topology.sentinel_tls.value_or(settings.tls)),
      sentinels_(places_of(servers_.nodes)) {
    for (auto const& one : servers_.nodes) tls_of_sentinels_.client_of(one.host_or_path);
}

sentinel_locator::~sentinel_locator() = default;

locator::place sentinel_locator::place_of_master(connection::host_and_port const& address) {
    return place_at(address, servers_.master, tls_of_servers_);
}

locator::place sentinel_locator::told_place(connection::host_and_port const& master) {
    auto told = place_of_master(master);
    std::optional<connection::host_and_port> by;
    {
        std::lock_guard const held(mutex_);
        by = named_by_;
    }
    if (by)
        told.where.told_by = "the Sentinel " + place_of_sentinel(*by).where.display() + " says that the master '"
                             + servers_.master_name + "' is there";
    return told;
}

locator::place sentinel_locator::place_of_sentinel(connection::host_and_port const& address) {
    return place_at(address, servers_.nodes.front(), tls_of_sentinels_);
}

std::vector<locator::place> sentinel_locator::sentinels_in_order() {
    std::vector<connection::host_and_port> order;
    {
        std::lock_guard const held(mutex_);
        order = sentinels_.in_order();
    }
    std::vector<place> places;
    for (auto const& one : order) places.push_back(place_of_sentinel(one));
    return places;
}

bool sentinel_locator::locate(place& out, base::instant until, errc& reason, std::string& problem) {
    std::optional<connection::host_and_port> master;
    {
        std::lock_guard const held(mutex_);
        if (lease_clock::now() < believed_until_) master = record_.master();
    }
    if (master) {
        out = told_place(*master);
        return true;
    }
    if (who_ && !who_->ask(problem)) {
        problem = "no credentials for the Sentinels of '" + servers_.master_name + "': " + problem;
        reason = errc::disconnected;
        return false;
    }
    findings found;
    auto const& name = servers_.master_name;
    question_round const round{sentinels_in_order(), who_ ? who_->words(words_) : words_,
                               connection::sentinel_questions(name) + connection::replicas_question(name),
                               connection::sentinel_replies + 1};
    round.ask(until, bell_, [&](std::size_t index, brief_question const* asked, std::string const& failed, errc code) {
        auto const from = place_in(round.servers[index].where);
        if (!failed.empty()) {
            found.add(failed);
            found.refused = found.refused || code != errc::disconnected;
            found.all_know_no_such_name = false;
            std::lock_guard const held(mutex_);
            sentinels_.on_failure(from);
            return base::never;
        }
        auto const said = connection::read_sentinel_answer(asked->replies());
        auto const shown = round.servers[index].where.display();
        if (said.what == connection::sentinel_answer::kind::unknown_name) {
            found.add(shown + " knows no master of this name");
            return base::never;
        }
        found.all_know_no_such_name = false;
        if (said.what == connection::sentinel_answer::kind::refused) {
            found.refused = true;
            found.add(shown + " does not say it (" + said.problem + "); is it a Sentinel, and may this user ask it?");
            return base::never;
        }
        on_answer(from, said);
        candidate const one{{servers_.reached_at(said.master), said.epoch}, from};
        std::lock_guard const held(mutex_);
        if (!found.best || found.best->said.epoch < said.epoch) found.best = one;
        return record_.is_up_to_date(found.best->said) ? base::instant{}
                                                       : base::later(lease_clock::now(), time_for_a_better_answer);
    });
    if (!found.best) {
        bool const no_such_name = found.all_know_no_such_name && !found.problems.empty();
        reason = no_such_name || found.refused ? errc::server_refused : errc::disconnected;
        problem = failure(found);
        return false;
    }
    {
        std::lock_guard const held(mutex_);
        master = record_.choose(found.best->said);
        named_by_ = found.best->from;
    }
    out = told_place(*master);
    return true;
}

std::string sentinel_locator::failure(findings const& found) const {
    std::string asked;
    for (auto const& one : servers_.nodes) asked += (asked.empty() ? "" : ", ") + one.display();
    auto const master = "a master '" + servers_.master_name + "'";
    if (found.all_know_no_such_name && !found.problems.empty())
        return "no Sentinel of " + asked + " knows " + master
               + ": check topology.master_name, or in an address what stands behind the #";
    return "no Sentinel of " + asked + " says where " + master + " is ("
           + (found.problems.empty() ? "there was no time to ask" : found.problems) + ")";
}

/// The addresses that a Sentinel knows of others.
void sentinel_locator::on_answer(connection::host_and_port const& from, connection::sentinel_answer const& said) {
    std::vector<connection::host_and_port> others;
    for (auto const& one : said.others) others.push_back(servers_.reached_at(one));
    sentinel_facts facts{
        .sentinels = said.sentinels, .reachable = said.reachable, .quorum = said.quorum, .promotable = said.promotable};
    auto const note = [&](char const* command, std::string const& refused) {
        if (!refused.empty())
            facts.refused.push_back({std::string("SENTINEL ") + command + " " + servers_.master_name, refused});
    };
    note("MASTER", said.master_refused);
    note("SENTINELS", said.others_refused);
    std::lock_guard const held(mutex_);
    if (said.asked_for_replicas)
        replicas_refused_ = said.replicas_refused;
    else
        facts.promotable = facts_.promotable;
    note("REPLICAS", replicas_refused_);
    facts_ = std::move(facts);
    sentinels_.on_answer(from);
    if (settings_.topology.discover_sentinels) sentinels_.on_others(others, from);
}

std::optional<sentinel_facts> sentinel_locator::sentinels() {
    std::lock_guard const held(mutex_);
    return facts_;
}

void sentinel_locator::doubt(endpoint const& endpoint) {
    std::lock_guard const held(mutex_);
    if (record_.master() != place_in(endpoint)) return;
    record_.doubt(place_in(endpoint));
    believed_until_ = {};
    if (named_by_) sentinels_.on_failure(*named_by_);
}

locator::place sentinel_locator::first_sentinel() {
    return sentinels_in_order().front();
}

void sentinel_locator::on_failed_sentinel(endpoint const& sentinel) {
    std::lock_guard const held(mutex_);
    sentinels_.on_failure(place_in(sentinel));
}

sentinel_locator::news sentinel_locator::on_news(endpoint const& from, connection::sentinel_answer const& said) {
    on_answer(place_in(from), said);
    auto const where = servers_.reached_at(said.master);
    news out;
    connection::host_and_port master;
    {
        std::lock_guard const held(mutex_);
        out.moved = record_.on_news({where, said.epoch});
        if (out.moved) {
            named_by_ = place_in(from);
            believed_until_ = base::later(lease_clock::now(), news_last);
        }
        master = record_.master().value();
    }
    out.master = place_of_master(master).where;
    return out;
}

bool sentinel_locator::knows_several() {
    std::lock_guard const held(mutex_);
    return sentinels_.in_order().size() > 1;
}

/// In an order of their own: that of the list changes with each answer.
std::optional<locator::place> sentinel_locator::another_than(endpoint const& watched) {
    std::vector<connection::host_and_port> others;
    std::size_t next = 0;
    {
        std::lock_guard const held(mutex_);
        others = sentinels_.in_order();
        next = others_asked_++;
    }
    std::erase(others, place_in(watched));
    if (others.empty()) return std::nullopt;
    std::sort(others.begin(), others.end());
    return place_of_sentinel(others[next % others.size()]);
}

bool sentinel_locator::is_newer(connection::sentinel_answer const& said) {
    std::lock_guard const held(mutex_);
    return record_.is_newer({servers_.reached_at(said.master), said.epoch});
}

void sentinel_locator::watch(std::shared_ptr<reactor> const& loop, on_master tell) {
    watcher_ = std::make_shared<sentinel_watcher>(loop, settings_, shared_from_this(), std::move(tell));
    watcher_->begin();
}

void sentinel_locator::close() {
    bell_.ring();
    if (watcher_) watcher_->close();
}

} // namespace redlatch::io
