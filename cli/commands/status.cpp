// redlatch status NAME and redlatch list: who holds what.
#include "commands/commands.hpp"
#include "durations.hpp"
#include "json_line.hpp"
#include "lock_check.hpp"
#include "lock_table.hpp"
#include "options.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_shown = 100;

/// Of a holder or a waiter.
template <typename T> std::string text_of(T const& who) {
    std::string const label = who.label ? shortened(*who.label, longest_shown) + ": " : std::string();
    return label + "client " + shortened(who.client, longest_shown) + ", holder "
           + shortened(who.holder, longest_shown);
}

std::string headline_of(lock_info const& lock) {
    std::string const name = "'" + shortened(lock.name, longest_shown) + "'";
    if (!lock.held) return name + (lock.waiters.empty() ? " is free\n" : " is free for the first of its queue\n");
    std::string const held = name + " is held (" + shortened(lock.type, longest_shown) + ")";
    if (!lock.remaining_lease) return held + " and has no expiry\n";
    return held + " for " + time_left(lock) + " still, unless renewed\n";
}

std::string message_of(lock_info const& lock) {
    std::string text = headline_of(lock);
    for (auto const& owner : lock.owners)
        text += "  by " + text_of(owner)
                + (owner.released ? ", which has released it: the rest is its minimum hold\n"
                                  : ", count " + std::to_string(owner.count) + '\n');
    for (auto const& waiter : lock.waiters) {
        text += "  waiting: " + text_of(waiter);
        if (waiter.passed_over_in)
            text += "; passed over in " + to_rounded_text(*waiter.passed_over_in) + " unless it asks again";
        text += '\n';
    }
    return text;
}

/// Keys that could not be looked at do not keep the others from being shown.
class unreadable_keys {
public:
    /// Takes them out.
    void take_from(std::vector<lock_info>& locks) {
        auto const others =
            std::stable_partition(locks.begin(), locks.end(), [](lock_info const& one) { return one.problem.empty(); });
        if (others == locks.end()) return;
        if (count_ == 0) first_ = *others;
        count_ += locks.end() - others;
        locks.erase(others, locks.end());
    }
    void say(report const& reporter) const {
        if (count_ == 0) return;
        auto const more = count_ > 1 ? " (and so were " + std::to_string(count_ - 1) + " more keys)" : std::string();
        reporter.problem("unreadable", "not shown: " + first_.problem + more,
                         {{"name", first_.name}, {"count", std::int64_t{count_}}});
    }

private:
    lock_info first_{};
    std::int64_t count_ = 0;
};

} // namespace

int show_status(arguments const& words) {
    common_options options;
    std::string name;
    command_line line("status NAME [FLAGS]", "Say whether the lock is free, or who holds it, and for how long still.");
    line.word("NAME", "The name of the lock.", name);
    declare(line, options, "One JSON object on stdout.");
    line.example("redlatch status backup");
    line.example("redlatch status backup --server redis://db1 --json");
    line.footer("Exit status:\n  0    the lock is held\n  1    it is free\n"
                + std::string(exit_status_help).substr(std::string("Exit status:\n").size()));
    line.parse(words);
    check_name(name);
    client owner(choose_server(options));
    auto const lock = inspect_lock(owner, name, {.labels = true});
    print(options.json ? json_of(lock) : message_of(lock));
    return lock.held ? 0 : 1;
}

int list_locks(arguments const& words) {
    common_options options;
    std::optional<std::string> pattern;
    command_line line("list [PATTERN] [FLAGS]",
                      "Show the locks whose names match a glob-style pattern, as they are found.");
    line.optional_word("PATTERN", "As in Redis: * ? [abc] and \\ before a special character. Default: all.", pattern);
    declare(line, options, "One JSON object for each lock on stdout.");
    line.example("redlatch list");
    line.example("redlatch list 'backup:*' --json");
    line.footer("Exit status:\n  0    also when there are none\n"
                + std::string(exit_status_help).substr(std::string("Exit status:\n").size()));
    line.parse(words);
    client owner(choose_server(options));
    lock_table table;
    unreadable_keys unreadable;
    owner.visit_locks(pattern.value_or("*"),
                      [&](std::vector<lock_info> locks) {
                          unreadable.take_from(locks);
                          if (locks.empty()) return;
                          std::string text;
                          if (!options.json) text = table.rows_of(locks);
                          if (options.json)
                              for (auto const& lock : locks) text += json_of(lock);
                          print(text);
                      },
                      {.labels = true});
    if (!options.json) print(table.rows_of({})); // the heading, if there was nothing
    unreadable.say(options.reporter());
    return 0;
}

} // namespace redlatch::cli
