// redlatch acl: the least rights that a user of the server needs.
#include "acl_rule.hpp"
#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "nearest.hpp"
#include "options.hpp"
#include "text.hpp"

#include <algorithm>
#include <sstream>

namespace redlatch::cli {
namespace {

std::string listed(std::vector<std::string_view> const& names) {
    std::string text;
    for (auto const& one : names) text.append(text.empty() ? "" : ", ").append(one);
    return text;
}

std::vector<std::string> types_in(std::string const& text) {
    auto const known = acl_types();
    std::vector<std::string> chosen;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            auto const meant = nearest(word, {known.begin(), known.end()});
            throw usage_error("--types: there is no type '" + word + "'"
                              + (meant.empty() ? std::string() : "; did you mean " + meant + "?") + "; the types are "
                              + listed(known));
        }
        chosen.push_back(word);
    }
    if (chosen.empty()) throw usage_error("--types is empty; the types are " + listed(known));
    return chosen;
}

/// One word of a rule, which ends at a blank.
void check_word(std::string const& flag, std::string const& word) {
    auto const unusable = [](unsigned char byte) { return byte <= ' ' || byte == 0x7f; };
    if (word.empty()) throw usage_error(flag + " is empty");
    if (std::any_of(word.begin(), word.end(), unusable))
        throw usage_error(flag + ": a rule of the server's cannot have blanks or control characters in it");
}

} // namespace

namespace {

constexpr struct {
    std::string_view name;
    server_mode mode;
} topologies[]{{"single", server_mode::single},
               {"sentinel", server_mode::sentinel},
               {"cluster", server_mode::cluster},
               {"master_slave", server_mode::master_slave},
               {"replicated", server_mode::replicated}};

acl_servers servers_in(std::string const& topology, std::string const& sharded) {
    acl_servers servers{.sharded = sharded != "off"};
    for (auto const& one : topologies)
        if (one.name == topology) servers.mode = one.mode;
    if (!sharded.empty() && servers.mode != server_mode::cluster)
        throw usage_error("--sharded belongs to --topology cluster");
    return servers;
}

} // namespace

int show_acl(arguments const& words) {
    std::optional<std::string> types;
    std::optional<std::string> prefix;
    std::optional<std::string> user;
    std::string topology = "single";
    std::string sharded;
    bool sentinels = false;
    command_line line(
        "acl [FLAGS]",
        "Print the least rights that a user of the servers needs, as an ACL rule for each of them. Speaks to no "
        "server.");
    auto const known = acl_types();
    line.text("--types", "TYPES", "Of what, with commas between: " + listed(known) + ". Default: all of them.", types);
    line.text(
        "--name-prefix", "PREFIX",
        "Only for names that begin with this. Names with curly brackets: up to the first one, and with it. Default: "
        "all names.",
        prefix);
    std::vector<std::string> modes;
    for (auto const& one : topologies) modes.emplace_back(one.name);
    line.choice("--topology", modes,
                "How the servers are arranged, as in the configuration: one, the master of Sentinels, a cluster, a "
                "master with replicas, or several of which one is the master. Default: single.",
                topology);
    line.choice("--sharded", {"on", "off"},
                "In a cluster: whether messages go to shards, which servers know from version 7 on. Default: on.",
                sharded);
    line.flag("--sentinels", "Print the rule for the user on the Sentinels themselves, who asks them for the master.",
              sentinels);
    line.text("--user", "NAME", "The name of the user. Default: locks.", user);
    line.example("redlatch acl --name-prefix jobs:");
    line.example("redlatch acl --types reentrant,semaphore --user importer");
    line.example("redlatch acl --topology cluster --name-prefix jobs:");
    line.example("redlatch acl --sentinels --user finder");
    line.footer(exit_status_help);
    line.parse(words);
    if (prefix) check_word("--name-prefix", *prefix);
    if (user) check_word("--user", *user);
    if (sentinels && (types || prefix || topology != "single" || !sharded.empty()))
        throw usage_error("--sentinels stands alone or with --user: on Sentinels there are no locks");
    auto const servers = servers_in(topology, sharded);
    auto const chosen = types ? types_in(*types) : std::vector<std::string>(known.begin(), known.end());
    std::string rule = "ACL SETUSER " + user.value_or("locks") + " on >PASSWORD";
    for (auto const& word : sentinels ? acl_rule_of_sentinels() : acl_rule(chosen, prefix.value_or(""), servers))
        rule += ' ' + word;
    print(rule + '\n');
    return 0;
}

} // namespace redlatch::cli
