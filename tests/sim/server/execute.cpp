// What happens to a client's command before it runs. The order of the checks is that of Redis: it decides which error is given.
#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/routing.hpp"
#include "sim/server/text.hpp"

#include <algorithm>

namespace redlatch::sim {
namespace {

constexpr std::size_t longest_shown = 128;

std::string unknown_command(std::span<std::string_view const> argv) {
    std::string text = "ERR unknown command '" + printed(argv[0], longest_shown);
    text += "', with args beginning with: ";
    std::string arguments;
    for (auto const argument : argv.subspan(1)) {
        if (arguments.size() >= longest_shown) break;
        auto const shown = printed(argument, longest_shown - arguments.size());
        arguments.append("'").append(shown).append("' ");
    }
    return text + arguments;
}

std::string unknown_subcommand(std::string_view container, std::string_view word) {
    std::string name(container);
    std::ranges::transform(name, name.begin(), [](char letter) { return static_cast<char>(letter - 'a' + 'A'); });
    return "ERR unknown subcommand '" + printed(word, longest_shown) + "'. Try " + name + " HELP.";
}

std::string in_this_context(std::string_view name) {
    return "ERR Can't execute '" + std::string(name)
           + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";
}

bool lacks_subcommand(command const& which, std::span<std::string_view const> argv) {
    return which.run == nullptr && argv.size() > 1;
}

// Empty: it may run.
std::string refusal(node_state& node, connection const& from, command const& which,
                    std::span<std::string_view const> argv) {
    auto const is = [&](trait what) { return (which.traits & what) != 0; };
    if (lacks_subcommand(which, argv)) return unknown_subcommand(which.name, argv[1]);
    if (!has_arity(which, argv.size()))
        return "ERR wrong number of arguments for '" + std::string(which.name) + "' command";
    if (node.needs_authentication(from) && !is(without_auth)) return "NOAUTH Authentication required.";
    if (auto const* who = node.user_of(from); who != nullptr && !is(without_auth) && !permitted(*who, which))
        return "NOPERM this user has no permissions to run the '" + std::string(which.name) + "' command";
    if (auto elsewhere = misplaced(node, from, which, argv); !elsewhere.empty()) return elsewhere;
    // A replica leaves it to its master to have room.
    if (node.out_of_memory && !node.read_only && is(grows))
        return "OOM command not allowed when used memory > 'maxmemory'.";
    if (node.disk_error && (is(writes) || is(needs_disk))) return std::string(refused::disk_error);
    if (node.no_replicas && is(writes)) return std::string(refused::no_replicas);
    if (node.read_only && is(writes)) return "READONLY You can't write against a read only replica.";
    if (node.subscriptions.listens(from.id) && !is(while_subscribed)) return in_this_context(which.name);
    if (node.loading && !is(while_loading)) return "LOADING Redis is loading the dataset in memory";
    if (node.busy && !is(while_busy)) return std::string(refused::busy);
    return {};
}

} // namespace

bool has_arity(command const& which, std::size_t words) noexcept {
    auto const given = static_cast<int>(words);
    return which.arity >= 0 ? given == which.arity : given >= -which.arity;
}

bool permitted(user const& who, command const& which) {
    if (who.refused.empty()) return true;
    if ((which.traits & dangerous) != 0 && who.refused.contains("@dangerous")) return false;
    return !who.refused.contains(which.name) && !who.refused.contains(which.name.substr(0, which.name.find('|')));
}

void execute(node_state& node, connection& from, std::span<std::string_view const> argv) {
    auto const* which = find_command(argv, node.settings.removed);
    auto const before = from.output.size();
    // Also if it is refused.
    from.last_command = which == nullptr || lacks_subcommand(*which, argv) ? "NULL" : which->name;
    if (which == nullptr) {
        reply::error(from.output, unknown_command(argv));
    } else if (auto const problem = refusal(node, from, *which, argv); !problem.empty()) {
        reply::error(from.output, problem);
    } else {
        call one{node, from, from.database, argv, from.output, false};
        auto const writes = node.writes;
        which->run(one);
        if (node.writes != writes) from.wrote = node.writes;
    }
    if (which == nullptr || which->run != commands::asking) from.asking = false;
    if (from.output.size() > before) node.mark_active(from);
    if (node.observer && !from.waits) {
        auto const answer = std::string_view(from.output).substr(before);
        node.observer({from.id, from.address, argv, answer, node.now_ms, 0});
    }
}

} // namespace redlatch::sim
