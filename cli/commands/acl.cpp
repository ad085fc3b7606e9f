// redlatch acl: the least rights that a user of the server needs.
#include "acl_flags.hpp"
#include "acl_rule.hpp"
#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "options.hpp"
#include "text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {
namespace {

constexpr struct {
    std::string_view name;
    server_mode mode;
} topologies[]{{"single", server_mode::single},
               {"sentinel", server_mode::sentinel},
               {"cluster", server_mode::cluster},
               {"master_slave", server_mode::master_slave},
               {"replicated", server_mode::replicated}};

constexpr int most_databases = 1'000'000'000; ///< more than any server has

acl_servers servers_in(std::string const& topology, std::string const& sharded, bool replicas, int database) {
    acl_servers servers{.sharded = sharded != "off", .replicas_confirm = replicas, .selects = database != 0};
    for (auto const& one : topologies)
        if (one.name == topology) servers.mode = one.mode;
    if (!sharded.empty() && servers.mode != server_mode::cluster)
        throw usage_error("--sharded belongs to --topology cluster");
    return servers;
}

} // namespace

int show_acl(arguments const& words) {
    acl_flags flags;
    std::optional<std::string> user;
    std::string topology = "single";
    std::string sharded;
    bool sentinels = false;
    bool replicas = false;
    int database = 0;
    command_line line(
        "acl [FLAGS]",
        "Print the least rights that a user of the servers needs, as an ACL rule for each of them. Speaks to no "
        "server.");
    declare(line, flags);
    std::vector<std::string> modes;
    for (auto const& one : topologies) modes.emplace_back(one.name);
    line.choice("--topology", modes,
                "How the servers are arranged, as in the configuration: one, the master of Sentinels, a cluster, a "
                "master with replicas, or several of which one is the master. Default: single.",
                topology);
    line.choice("--sharded", {"on", "off"},
                "In a cluster: whether messages go to shards, which servers know from version 7 on. Default: on.",
                sharded);
    line.flag("--replicas", "For locks that replicas confirm: run --replicas, config::replicas.", replicas);
    line.number(
        "--database",
        "The database that the configuration names, or the address as in redis://host/3: another one than 0 needs "
        "a right of its own. Default: 0.",
        0, most_databases, database);
    line.flag("--sentinels", "Print the rule for the user on the Sentinels themselves, who asks them for the master.",
              sentinels);
    line.text("--user", "NAME", "The name of the user. Default: locks.", user);
    line.example("redlatch acl --name-prefix jobs:");
    line.example("redlatch acl --types reentrant,semaphore --user importer");
    line.example("redlatch acl --topology cluster --name-prefix jobs:");
    line.example("redlatch acl --sentinels --user finder");
    line.footer(exit_status_text());
    line.parse(words);
    check(flags);
    if (user) check_word_of_rule("--user", *user);
    if (sentinels
        && (flags.types || flags.name_prefix || topology != "single" || !sharded.empty() || replicas || database != 0))
        throw usage_error("--sentinels stands alone or with --user: on Sentinels there are no locks");
    auto const servers = servers_in(topology, sharded, replicas, database);
    std::string rule = "ACL SETUSER " + user.value_or("locks") + " on >PASSWORD";
    auto const rule_words =
        sentinels ? acl_rule_of_sentinels() : acl_rule(types_of(flags), flags.name_prefix.value_or(""), servers);
    for (auto const& word : rule_words) rule += ' ' + word;
    print(rule + '\n');
    return 0;
}

} // namespace redlatch::cli
