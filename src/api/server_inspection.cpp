#include "api/server_inspection.hpp"

#include "api/server_report.hpp"
#include "base/hash_slot.hpp"
#include "connection/server_error.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace redlatch::detail {
namespace {

/// Beside what INFO says.
constexpr struct {
    char const* name;
    bool (*known)(server_facts const&); ///< that its refusal takes nothing away
} settings[]{
    {"maxmemory-policy", [](server_facts const& server) { return server.eviction_policy.has_value(); }},
    {"appendonly", [](server_facts const& server) { return server.append_only.has_value(); }},
    {"appendfsync", [](server_facts const&) { return false; }},
    {"save", [](server_facts const&) { return false; }},
    {"min-replicas-to-write", [](server_facts const& server) { return server.min_replicas.has_value(); }},
};

constexpr char const* write_trial = "HDEL"; ///< as it is called in `refused`

/// Of a name with that slot among so many others.
constexpr int most_names = 100'000;

rights_arrangement arrangement_of(io::client_core& core) {
    auto const mode = core.servers().mode();
    return {.of_cluster = core.servers().of_cluster() != nullptr,
            .sharded = core.publishing().command() == locking::publish_in_shard_command,
            .asks_for_roles = mode == server_mode::sentinel || mode == server_mode::replicated
                              || core.settings().replicas.replicas != 0};
}

std::chrono::microseconds wall_clock() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
}

std::string reason_of(resp::value const& reply) {
    return reply.is_error() ? reply.text : "its answer was not understood";
}

} // namespace

server_inspection::server_inspection(std::shared_ptr<io::client_core> core, inspect_servers_options options)
    : core_(std::move(core)), options_(std::move(options)), until_(base::later(lease_clock::now(), options_.limit)),
      rights_(core_->settings().name_prefix + options_.name_prefix, arrangement_of(*core_)),
      servers_(core_->masters()) {
    std::reverse(servers_.begin(), servers_.end()); // taken from the end
    found_.mode = core_->servers().mode();
    found_.servers.emplace_back();
    found_.servers.back().address = servers_.back()->address();
}

bool server_inspection::step() {
    for (;;) {
        if (!call_ && !trial_ && !begin_part()) {
            finish();
            return true;
        }
        io::operation& one = call_ ? static_cast<io::operation&>(*call_) : *trial_;
        if (cancelled()) one.cancel();
        if (!one.step()) return suspend(one.at().where, one.at().until);
        if (cancelled() || core_->closed()) {
            result_ = core_->closed() ? errc::closed : errc::cancelled;
            message_ =
                std::string(about_servers) + " was " + (core_->closed() ? "ended: the client was closed" : "cancelled");
            return true;
        }
        on_part();
    }
}

bool server_inspection::ready() const {
    return cancelled() || (call_ && call_->ready()) || (trial_ && trial_->ready());
}

// --- what is asked

/// False: that was all.
bool server_inspection::begin_part() {
    for (;;) {
        bool const in_time = lease_clock::now() < until_;
        if (!in_time && now().problem.empty() && part_ == part::facts) now().problem = "there was no time to ask it";
        bool const answers = in_time && now().problem.empty();
        if (answers && part_ == part::facts) {
            std::vector<std::string> commands{resp::command("INFO"), resp::command("HELLO"), resp::command("ROLE")};
            for (auto const& one : settings) commands.push_back(resp::command("CONFIG", "GET", one.name));
            ask(std::move(commands));
            return true;
        }
        if (answers && part_ == part::rights) {
            ask({resp::command("WAIT", "0", "1"), rights_.command()});
            return true;
        }
        if (!in_time && part_ == part::write) {
            refuse(write_trial, "there was no time to ask it");
            part_ = part::time;
        }
        if (answers && part_ == part::write) {
            if (begin_write()) return true;
            part_ = part::time;
        }
        if (answers && part_ == part::time && times_ < options_.round_trips) {
            ++times_;
            ask({resp::command("TIME")});
            return true;
        }
        if (answers && part_ == part::time) {
            part_ = part::message;
            if (begin_message()) return true;
        }
        if (!go_on_with_next_server()) return false;
    }
}

void server_inspection::ask(std::vector<std::string> commands) {
    asked_at_ = lease_clock::now();
    asked_at_wall_ = wall_clock();
    call_.emplace(core_, servers_.back(), std::move(commands), about_servers);
    drive(*call_);
}

/// A key or channel of a lock that nobody uses, on the server that is asked. None: no such lock belongs to it.
template <class Derive> std::optional<std::string> server_inspection::of_a_name_there(Derive derive) {
    auto const name = core_->settings().name_prefix + options_.name_prefix + "redlatch:" + core_->id() + ":";
    for (int i = 0; i < most_names; ++i) {
        std::string derived = derive(name + std::to_string(i));
        if (&core_->node_of(derived) == servers_.back()) return derived;
    }
    return std::nullopt;
}

/// Removes what is not there: a server that refuses to write says so, whatever its reason. False: it is not asked.
bool server_inspection::begin_write() {
    if (now().role == server_facts::role_kind::replica) return false;
    auto const key = of_a_name_there(std::identity{});
    if (key) ask({resp::command("HDEL", *key, core_->id()), resp::command("DEL", *key)});
    return key.has_value();
}

/// False: no channel belongs to this server.
bool server_inspection::begin_message() {
    auto channel = of_a_name_there(locking::lock_channel);
    if (!channel) return false;
    trial_.emplace(core_, *servers_.back(), *std::move(channel));
    drive(*trial_);
    return true;
}

bool server_inspection::go_on_with_next_server() {
    if (servers_.size() <= 1) return false;
    servers_.pop_back();
    part_ = part::facts;
    times_ = 0;
    shortest_.reset();
    found_.servers.emplace_back();
    now().address = servers_.back()->address();
    return true;
}

// --- what is answered

void server_inspection::refuse(std::string command, std::string const& reason) {
    now().refused.push_back({std::move(command), reason});
}

void server_inspection::on_part() {
    if (trial_) {
        on_message();
        trial_.reset();
        part_ = part::message;
        return;
    }
    auto const failed = call_->result();
    if (failed && part_ == part::facts) {
        now().problem = call_->message();
        if (!result_) result_ = failed; // of the first one
    } else if (failed && part_ == part::rights) {
        refuse("WAIT, EVAL", call_->message());
    } else if (part_ == part::write) {
        on_write();
    } else if (failed) {
        refuse("TIME", call_->message());
        times_ = std::max(times_, options_.round_trips);
    } else if (part_ == part::facts) {
        on_facts(call_->replies());
    } else if (part_ == part::rights) {
        on_rights(call_->replies()[0], call_->replies()[1]);
    } else {
        on_time(call_->replies().front());
    }
    now().address = servers_.back()->address(); // of a master that was found: where it was found
    call_.reset();
    if (part_ == part::facts)
        part_ = part::rights;
    else if (part_ == part::rights)
        part_ = part::write;
    else if (part_ == part::write)
        part_ = part::time;
}

void server_inspection::on_facts(std::vector<resp::value> const& replies) {
    auto const& info = replies[0];
    if (info.is_text())
        read_info_facts(info.text, now());
    else
        refuse("INFO", reason_of(info));
    read_hello_facts(replies[1], now());
    read_role_facts(replies[2], now());
    if (replies[2].is_array())
        now().role_command = true;
    else if (connection::reach_of(replies[2]) == connection::reach::command)
        now().role_command = false;
    auto next = replies.begin() + 3;
    for (auto const& one : settings) {
        auto const& reply = *next++;
        if (!read_setting(one.name, reply, now()) && !one.known(now()))
            refuse(std::string("CONFIG GET ") + one.name, reason_of(reply));
    }
}

void server_inspection::on_rights(resp::value const& wait, resp::value const& rights) {
    if (wait.is_integer()) {
        now().wait_command = true;
    } else {
        refuse("WAIT", reason_of(wait));
        if (connection::reach_of(wait) == connection::reach::command) now().wait_command = false;
    }
    if (auto said = rights_.read(rights)) {
        now().missing_rights = std::move(said->missing);
        now().unknown_commands = std::move(said->unknown);
        now().rights_known = said->complete;
    } else if (connection::is_missing_right(rights)) {
        now().missing_rights = {"+eval"};
        refuse("EVAL", rights.text);
    } else if (!rights.is_nil()) {
        refuse("EVAL", reason_of(rights));
        if (connection::reach_of(rights) == connection::reach::command) now().unknown_commands = {"eval"};
    }
}

/// A user may have the right to one of the two only.
void server_inspection::on_write() {
    if (call_->result()) {
        auto const& said = call_->refusal();
        return refuse(write_trial, said.is_error() ? said.text : call_->message());
    }
    auto const& replies = call_->replies();
    if (replies[0].is_error() && replies[1].is_error()) refuse(write_trial, replies[0].text);
}

void server_inspection::on_time(resp::value const& reply) {
    auto const took = std::chrono::duration_cast<std::chrono::microseconds>(lease_clock::now() - asked_at_);
    now().round_trips.push_back(took);
    auto const time = read_time(reply);
    if (!time) {
        if (times_ == 1) refuse("TIME", reason_of(reply));
        return;
    }
    if (shortest_ && *shortest_ <= took) return;
    shortest_ = took;
    now().clock_ahead = *time - (asked_at_wall_ + took / 2);
}

void server_inspection::on_message() {
    now().messages = trial_->arrived();
    now().message_time = trial_->time();
    if (!trial_->problem().empty()) refuse(trial_->command(), trial_->problem());
}

void server_inspection::finish() {
    auto const& all = found_.servers;
    bool const any = std::any_of(all.begin(), all.end(), [](auto const& one) { return one.problem.empty(); });
    if (any)
        result_ = {};
    else if (!result_)
        result_ = errc::disconnected;
    if (result_) message_ = all.front().problem;
    found_.sentinels = core_->servers().sentinels();
}

} // namespace redlatch::detail
