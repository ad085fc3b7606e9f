// redlatch status NAME and redlatch list: who holds what.
#include "commands/commands.hpp"
#include "durations.hpp"
#include "json_line.hpp"
#include "options.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace redlatch::cli {
namespace {

std::string time_left(lock_info const& lock) {
    return lock.remaining_lease ? to_text(*lock.remaining_lease) : "for ever";
}

std::string sentence_of(lock_info const& lock) {
    std::string const name = "'" + printable(lock.name) + "'";
    if (!lock.held) return name + " is free\n";
    std::string text = name + " is held (" + lock.type + ") for " + time_left(lock) + " still, unless renewed\n";
    if (!lock.remaining_lease) text = name + " is held (" + lock.type + ") and has no expiry\n";
    for (auto const& owner : lock.owners)
        text += "  by client " + printable(owner.client) + ", holder " + printable(owner.holder) + ", count "
                + std::to_string(owner.count) + '\n';
    return text;
}

using row = std::array<std::string, 6>;

std::string table_of(std::vector<lock_info> const& locks) {
    std::vector<row> rows{{"NAME", "TYPE", "CLIENT", "HOLDER", "COUNT", "TTL"}};
    for (auto const& lock : locks)
        for (auto const& owner : lock.owners)
            rows.push_back({printable(lock.name), lock.type, printable(owner.client), printable(owner.holder),
                            std::to_string(owner.count), time_left(lock)});
    std::array<std::size_t, 6> widths{};
    for (auto const& cells : rows)
        for (std::size_t at = 0; at < cells.size(); ++at) widths[at] = std::max(widths[at], columns(cells[at]));
    std::string text;
    for (auto const& cells : rows) {
        for (std::size_t at = 0; at + 1 < cells.size(); ++at)
            text += cells[at] + std::string(widths[at] - columns(cells[at]) + 2, ' ');
        text += cells.back() + '\n';
    }
    return text;
}

} // namespace

int show_status(arguments const& words) {
    common_options options;
    std::string name;
    command_line line("status NAME [FLAGS]", "Say whether the lock is free, or who holds it, and for how long still.");
    line.word("NAME", "The name of the lock.", name);
    declare(line, options, "One JSON object on stdout.");
    line.footer("Exit status:\n  0    the lock is held\n  1    it is free\n"
                + std::string(exit_status_help).substr(std::string("Exit status:\n").size()));
    line.parse(words);
    check_name(name);
    client owner(choose_server(options));
    auto const lock = owner.get_lock(name).inspect();
    print(options.json ? json_of(lock) : sentence_of(lock));
    return lock.held ? 0 : 1;
}

int list_locks(arguments const& words) {
    common_options options;
    std::optional<std::string> pattern;
    command_line line("list [PATTERN] [FLAGS]", "Show the locks whose names match a glob-style pattern, by SCAN.");
    line.optional_word("PATTERN", "As in Redis: * ? [abc] and \\ before a special character. Default: all.", pattern);
    declare(line, options, "One JSON object for each lock on stdout.");
    line.footer("Exit status:\n  0    also when there are none\n"
                + std::string(exit_status_help).substr(std::string("Exit status:\n").size()));
    line.parse(words);
    client owner(choose_server(options));
    auto locks = owner.list_locks(pattern.value_or("*"));
    std::sort(locks.begin(), locks.end(), [](auto const& one, auto const& other) { return one.name < other.name; });
    std::string text;
    if (!options.json)
        text = table_of(locks);
    else
        for (auto const& lock : locks) text += json_of(lock);
    print(text);
    return 0;
}

} // namespace redlatch::cli
