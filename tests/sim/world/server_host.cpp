#include "sim/world/server_host.hpp"

#include "resp/command.hpp"

#include <cstdio>

namespace redlatch::sim {
namespace {

/// Some day in 2026.
constexpr std::int64_t epoch_ms = 1'790'000'000'000;
constexpr moment between_looks = std::chrono::milliseconds(100);

} // namespace

server_host::server_host(world& in, network& with, node_settings settings, int number)
    : world_(in), network_(with), number_(number), settings_(std::move(settings)) {
    start(data::lost);
}

std::int64_t server_host::now_ms() const noexcept {
    auto const passed = world_.now().count();
    return epoch_ms + (passed + passed / 1'000'000 * drift_ppm) / 1'000'000;
}

std::string server_host::run_id() const {
    char text[41];
    std::snprintf(text, sizeof text, "%040llx", static_cast<unsigned long long>(run_) + 0xabc000);
    return text;
}

void server_host::start(data what) {
    keyspace kept;
    if (node_ && what == data::kept) kept = node_->data();
    if (node_ && what == data::lagging)
        for (auto const& [when, then] : history_)
            if (when + replica_lag <= world_.now()) kept = then;
    start(std::move(kept));
}

void server_host::start(keyspace kept) {
    kept.drop_expired(now_ms());
    ++run_;
    settings_.run_id = run_id();
    node_ = std::make_unique<redis_node>(settings_, std::move(kept));
    if (observer_) node_->on_executed(observer_);
    lines_.clear();
    waiting_.clear();
    history_.clear();
    if (settings_.cluster != nullptr) history_.emplace_back(world_.now(), node_->data());
    remembered_ = told_ = 0;
    running_ = true;
    paused_ = false;
    if (on_started) on_started();
    if (on_changed) on_changed();
}

void server_host::crash() {
    running_ = false;
    waiting_.clear();
    lines_.clear();
    network_.reset_all(number_);
}

void server_host::go_on() {
    paused_ = false;
    for (auto& one : std::exchange(waiting_, {})) one();
}

void server_host::accept(std::shared_ptr<tcp_connection> const& on) {
    on->server_run = run_;
    on->client_id = node_->connect(on->address);
    lines_[on->client_id] = on;
}

void server_host::remember() {
    if (node_->writes() == remembered_) return;
    remembered_ = node_->writes();
    history_.emplace_back(world_.now(), node_->data());
    while (history_.size() > 1 && history_[1].first + replica_lag <= world_.now()) history_.pop_front();
}

keyspace server_host::known_to_replica(moment lag) const {
    if (lag == moment(0) || history_.empty()) return node_->data();
    auto const* known = &history_.front().second;
    for (auto const& [when, then] : history_)
        if (when + lag <= world_.now()) known = &then;
    return *known;
}

void server_host::take_over(keyspace known) {
    known.drop_expired(now_ms());
    node_->replace_data(std::move(known));
    history_.clear();
    changed();
}

void server_host::changed() {
    remember();
    flush();
}

void server_host::when_awake(std::function<void()> what) {
    if (paused_)
        waiting_.push_back(std::move(what));
    else
        what();
}

void server_host::deliver(std::shared_ptr<tcp_connection> const& on, std::string const& bytes) {
    if (!running_ || on->server_run != run_ || on->client_id == 0) return; // for a run that is no more
    if (paused_) {
        waiting_.push_back([this, on, bytes] { deliver(on, bytes); });
        return;
    }
    node_->receive(on->client_id, bytes, now_ms());
    if (replica_lag.count() > 0) remember();
    flush();
}

void server_host::tell_of_changes() {
    if (std::exchange(told_, node_->writes()) != node_->writes()) on_changed();
}

/// A server looks ten times a second which waits are over.
void server_host::time_waits() {
    for (auto const& [number, ms] : node_->take_waits()) {
        if (ms == 0) continue;
        auto const when = world_.now() + std::chrono::milliseconds(ms) + world_.between(moment(0), between_looks);
        world_.at(when, [this, number = number, of = run_] {
            when_awake([this, number, of] {
                if (!running_ || of != run_) return;
                node_->end_wait(number);
                flush();
            });
        });
    }
}

void server_host::flush() {
    if (on_changed) tell_of_changes();
    time_waits();
    for (auto const id : node_->take_active()) {
        auto const found = lines_.find(id);
        auto output = node_->take_output(id);
        if (found == lines_.end()) continue;
        auto const line = found->second;
        if (!output.empty()) network_.reply(line, output);
        if (!node_->ended(id)) continue;
        network_.finish(line);
        line->client_id = 0;
        lines_.erase(found);
        node_->disconnect(id);
    }
}

void server_host::hang_up(std::shared_ptr<tcp_connection> const& on) {
    if (!running_ || on->server_run != run_ || on->client_id == 0) return;
    if (paused_) {
        waiting_.push_back([this, on] { hang_up(on); });
        return;
    }
    node_->disconnect(on->client_id);
    lines_.erase(on->client_id);
    on->client_id = 0;
    flush();
}

void server_host::observe(std::function<void(redis_node::executed const&)> what) {
    observer_ = std::move(what);
    node_->on_executed(observer_);
}

void server_host::kill_everybody() {
    std::vector<redis_node::client> all;
    for (auto const& [id, line] : lines_) all.push_back(id);
    if (running_)
        for (auto const id : all) by_hand(resp::command("CLIENT", "KILL", "ID", std::to_string(id)));
}

void server_host::hang_up_on_everybody() {
    node_->set_refused("default", {});
    kill_everybody();
    node_->set_refused("default", settings_.users["default"].refused);
}

void server_host::set_refused(std::set<std::string, std::less<>> commands) {
    settings_.users["default"].refused = commands;
    node_->set_refused("default", std::move(commands));
}

std::string server_host::by_hand(std::string const& bytes) {
    auto const me = node_->connect("10.0.9.9:50000");
    node_->receive(me, bytes, now_ms());
    auto answer = node_->take_output(me);
    node_->disconnect(me);
    flush();
    return answer;
}

bool server_host::exists(std::string const& lock) const {
    return node_->data().find(lock, now_ms()) != nullptr;
}

std::vector<std::string> server_host::owners(std::string const& lock) const {
    std::vector<std::string> all;
    auto const* const found = node_->data().find(lock, now_ms());
    if (auto const* const fields = found == nullptr ? nullptr : std::get_if<hash_fields>(&found->value))
        for (auto const& [name, value] : *fields)
            if (name != "mode") all.push_back(name); // of a read-write lock
    return all;
}

std::string server_host::field(std::string const& lock, std::string const& name) const {
    auto const* const found = node_->data().find(lock, now_ms());
    auto const* const fields = found == nullptr ? nullptr : std::get_if<hash_fields>(&found->value);
    if (fields == nullptr) return {};
    auto const at = std::find_if(fields->begin(), fields->end(), [&](auto const& one) { return one.first == name; });
    return at == fields->end() ? std::string() : at->second;
}

std::int64_t server_host::number(std::string const& key) const {
    auto const* const found = node_->data().find(key, now_ms());
    auto const* const text = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
    return text == nullptr ? 0 : std::stoll(*text);
}

std::vector<std::pair<std::string, double>> server_host::members(std::string const& key) const {
    std::vector<std::pair<std::string, double>> all;
    auto const* const found = node_->data().find(key, now_ms());
    if (auto const* const scored = found == nullptr ? nullptr : std::get_if<scored_members>(&found->value))
        for (auto const& [score, name] : *scored) all.emplace_back(name, score);
    return all;
}

std::int64_t server_host::expiry(std::string const& lock) const {
    auto const* const found = node_->data().find(lock, now_ms());
    return found == nullptr ? INT64_MAX : found->expires_at_ms.value_or(INT64_MAX);
}

bool server_host::holds(std::string const& lock, std::string const& owner) const {
    auto const* const found = node_->data().find(lock, now_ms());
    auto const* const fields = found == nullptr ? nullptr : std::get_if<hash_fields>(&found->value);
    return fields != nullptr && fields->find(owner) != nullptr;
}

} // namespace redlatch::sim
