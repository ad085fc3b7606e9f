#include "support/sentinel_set.hpp"

#include "support/wait_until.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace redlatch::test {
namespace {

std::string number(std::size_t value) {
    return std::to_string(value);
}

/// Of [name, value, name, value ...].
std::string field(resp::value const& fields, std::string const& name) {
    for (std::size_t at = 0; at + 1 < fields.items.size(); at += 2)
        if (fields.items[at].text == name) return fields.items[at + 1].text;
    return {};
}

/// The identity of a Sentinel: forty hexadecimal digits.
std::string id_of(std::size_t which) {
    return std::string(39, 'a') + number(which + 1);
}

std::string hidden(std::string const& command) {
    return "HIDDEN-" + command;
}
std::vector<std::string> that_hide(std::vector<std::string> const& commands) {
    std::vector<std::string> arguments;
    for (auto const& one : commands) arguments.insert(arguments.end(), {"--rename-command", one, hidden(one)});
    return arguments;
}

std::string program() {
    char const* const named = std::getenv("REDLATCH_TEST_SERVER");
    return named != nullptr && *named != '\0' ? named : "redis-server";
}

} // namespace

replica_set::replica_set(std::size_t replicas, std::string const& network, std::vector<std::string> const& more) {
    std::vector<std::string> all{"--repl-diskless-sync-delay", "0"};
    all.insert(all.end(), more.begin(), more.end());
    if (!network.empty()) all.insert(all.end(), {"--replica-announce-ip", "127.0.0.1", "--protected-mode", "no"});
    for (std::size_t i = 0; i <= replicas; ++i) {
        if (i == 1)
            for (auto const& word : {std::string("--replicaof"), std::string("127.0.0.1"), number(port(0))})
                all.push_back(word);
        auto arguments = all;
        if (!network.empty()) arguments.insert(arguments.end(), {"--bind-source-addr", network + number(i + 1)});
        servers_.push_back(std::make_unique<redis_server>(
            server_options{.over = server_options::transport::tcp, .arguments = std::move(arguments)}));
    }
    auto const replicated = [&] {
        auto const role = servers_[0]->run("ROLE");
        if (role.items.size() != 3 || role.items[2].items.size() != replicas) return false;
        // A replica that still loads what it was sent first is listed, too. It confirms nothing before it is done.
        if (role.items[1].integer == 0) servers_[0]->run("PUBLISH", "the first message to the replicas", "");
        return has_replicated(0);
    };
    if (!wait_until(replicated, sentinel_set::longest_failover))
        throw std::runtime_error("the replicas do not replicate");
}

std::string replica_set::role(std::size_t which) const {
    if (!servers_[which]->running()) return {};
    try {
        auto const reply = servers_[which]->run("ROLE");
        return reply.items.empty() ? std::string() : reply.items.front().text;
    } catch (std::runtime_error const&) {
        return {};
    }
}

void replica_set::promote(std::size_t which) {
    servers_[which]->run("REPLICAOF", "NO", "ONE");
    for (std::size_t i = 0; i < size(); ++i)
        if (i != which && servers_[i]->running()) servers_[i]->run("REPLICAOF", "127.0.0.1", number(port(which)));
}

sentinel_set::sentinel_set(sentinel_options options)
    : options_(std::move(options)), servers_(options_.replicas, options_.network, that_hide(options_.hidden_commands)),
      sentinels_(options_.sentinels) {
    for (std::size_t i = 0; i < sentinels_.size(); ++i) start(i);
    for (std::size_t i = 0; i < sentinels_.size(); ++i)
        if (!wait_until([&] { return is_ready(i); }, longest_failover))
            throw std::runtime_error("the Sentinels do not find each other and the replicas");
}

void sentinel_set::start(std::size_t which) {
    auto& one = sentinels_[which];
    auto const file = one.folder.path() / "sentinel.conf";
    std::ofstream out(file);
    out << "port " << one.port.number() << "\nbind 127.0.0.1\ndir " << one.folder.path().string() << "\n";
    if (!options_.password.empty())
        out << "requirepass " << options_.password << "\nsentinel sentinel-pass " << options_.password << "\n";
    for (auto const& line : options_.lines) out << line << "\n";
    if (!options_.network.empty())
        out << "bind-source-addr " << options_.network << servers_.size() + which + 1
            << "\nsentinel announce-ip 127.0.0.1\n";
    std::string const name = master_name;
    out << "sentinel myid " << id_of(which) << "\nsentinel monitor " << name << " 127.0.0.1 " << servers_.port(0) << " "
        << sentinels_.size() / 2 + 1 << "\nsentinel down-after-milliseconds " << name << " "
        << options_.down_after.count() << "\nsentinel failover-timeout " << name << " 5000\n";
    for (auto const& command : options_.hidden_commands)
        out << "sentinel rename-command " << name << " " << command << " " << hidden(command) << "\n";
    for (std::size_t i = 1; i < servers_.size(); ++i)
        out << "sentinel known-replica " << name << " 127.0.0.1 " << servers_.port(i) << "\n";
    for (std::size_t i = 0; i < sentinels_.size(); ++i)
        if (i != which)
            out << "sentinel known-sentinel " << name << " 127.0.0.1 " << sentinels_[i].port.number() << " " << id_of(i)
                << "\n";
    out.close();
    one.process = std::make_unique<child_process>(child_options{.arguments = {program(), file.string(), "--sentinel"},
                                                                .output_file = one.folder.path() / "sentinel.log"});
}

resp::value sentinel_set::ask(std::size_t which, std::vector<std::string> const& command) const {
    endpoint where;
    where.port = sentinels_[which].port.number();
    raw_client connection(where);
    if (!options_.password.empty()) connection.command("AUTH", options_.password);
    return connection.command(command);
}

/// A replica is fit for a failover when its INFO has been read.
bool sentinel_set::is_ready(std::size_t which) const {
    try {
        auto const master = ask(which, {"SENTINEL", "MASTER", master_name});
        if (field(master, "flags") != "master" || field(master, "role-reported") != "master") return false;
        for (auto const& one : ask(which, {"SENTINEL", "SENTINELS", master_name}).items)
            if (field(one, "flags") != "sentinel") return false;
        auto const replicas = ask(which, {"SENTINEL", "REPLICAS", master_name});
        for (auto const& one : replicas.items)
            if (field(one, "flags") != "slave" || field(one, "master-link-status") != "ok") return false;
        return replicas.items.size() == options_.replicas
               && !ask(which, {"SENTINEL", "CKQUORUM", master_name}).is_error();
    } catch (std::runtime_error const&) {
        return false;
    }
}

std::string sentinel_set::log(std::size_t which) const {
    std::ostringstream text;
    text << std::ifstream(sentinels_[which].folder.path() / "sentinel.log").rdbuf();
    return text.str();
}

std::string sentinel_set::sentinel_address(std::size_t which) const {
    return "127.0.0.1:" + std::to_string(sentinels_[which].port.number());
}

std::string sentinel_set::uri() const {
    std::string all;
    for (std::size_t i = 0; i < sentinels_.size(); ++i) all += (i == 0 ? "" : ",") + sentinel_address(i);
    return "redis-sentinel://" + all + "#" + master_name;
}

std::string sentinel_set::uri(std::size_t which) const {
    return "redis-sentinel://" + sentinel_address(which) + "#" + master_name;
}

std::optional<std::size_t> sentinel_set::named_master(std::size_t which) const {
    try {
        auto const address = ask(which, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", master_name});
        for (std::size_t i = 0; address.items.size() == 2 && i < servers_.size(); ++i)
            if (address.items[1].text == std::to_string(servers_.port(i))) return i;
    } catch (std::runtime_error const&) { // it has ended, or hangs
    }
    return std::nullopt;
}

std::size_t sentinel_set::fail_over() {
    auto const old = named_master().value();
    auto const begun = [&] {
        auto const reply = ask(0, {"SENTINEL", "FAILOVER", master_name});
        return !reply.is_error() || reply.is_error_named("INPROG");
    };
    if (!wait_until(begun, longest_failover)) throw std::runtime_error("the Sentinel begins no failover");
    return wait_for_another_than(old);
}

std::size_t sentinel_set::wait_for_another_than(std::size_t old) const {
    std::size_t now = old;
    auto const all_know = [&] {
        std::optional<std::size_t> named;
        for (std::size_t i = 0; i < sentinels_.size(); ++i) {
            if (!sentinels_[i].process) continue;
            auto const one = named_master(i);
            if (!one || *one == old || (named && named != one)) return false;
            named = one;
        }
        now = named.value();
        return true;
    };
    if (!wait_until(all_know, longest_failover)) throw std::runtime_error("there was no failover");
    return now;
}

} // namespace redlatch::test
