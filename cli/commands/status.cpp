// redlatch status NAME: who holds it, or what else it is.
#include "commands/commands.hpp"
#include "durations.hpp"
#include "holders.hpp"
#include "json_line.hpp"
#include "lock_check.hpp"
#include "lock_table.hpp"
#include "options.hpp"
#include "permit_view.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>
#include <redlatch/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace redlatch::cli {
namespace {

constexpr std::size_t longest_shown = 100;

/// Of a holder or a waiter.
template <typename T> std::string text_of_party(T const& party) {
    std::string const label = party.label ? shortened(*party.label, longest_shown) + ": " : std::string();
    return label + "client " + shortened(party.client, longest_shown) + ", holder "
           + shortened(party.holder, longest_shown);
}

std::string headline_of(lock_info const& lock) {
    std::string const name = "'" + shortened(lock.name, longest_shown) + "'";
    if (!lock.held) return name + (lock.waiters.empty() ? " is free\n" : " is free for the first of its queue\n");
    std::string const held = name + " is held (" + shortened(lock.type, longest_shown) + ")";
    if (!lock.remaining_lease) return held + " and has no expiry\n";
    return held + " for " + time_left(lock) + (is_in_minimum_hold(lock) ? " still\n" : " still, unless renewed\n");
}

std::string message_of(lock_info const& lock) {
    std::string text = headline_of(lock);
    if (lock.token) text += "  the last fencing token was " + std::to_string(*lock.token) + '\n';
    for (auto const& owner : lock.owners)
        text += "  by " + text_of_party(owner)
                + (owner.released ? ", which has released it: the rest is its minimum hold\n"
                                  : ", count " + std::to_string(owner.count) + '\n');
    if (lock.truncated)
        text +=
            "  and by more: at least " + std::to_string(lock.owners.size() + 1) + " hold it, and not all were read\n";
    int place = 0;
    for (auto const& waiter : lock.waiters) {
        text += "  waiting in place " + std::to_string(++place) + ": " + text_of_party(waiter);
        if (waiter.passed_over_in)
            text += "; passed over in " + to_rounded_text(*waiter.passed_over_in) + " unless it asks again";
        text += '\n';
    }
    return text;
}

int show(lock_info const& lock, bool json) {
    print(json ? json_of(lock) : message_of(lock));
    return lock.held ? 0 : 1;
}

int show(permit_info const& semaphore, bool json) {
    print(json ? json_of(semaphore) : text_of_permits(semaphore));
    return 0;
}

/// None: nothing has the name. Throws error(wrong_type) where something else has it.
std::optional<std::int64_t> number_in(named const& found, std::string const& name, std::string const& type) {
    auto const refuse = [&](char const* other) {
        throw error(errc::wrong_type, "'" + shortened(name, longest_shown) + "' is a " + other + ", not a " + type
                                          + "; ask without --type");
    };
    if (auto const* const number = std::get_if<std::int64_t>(&found)) return *number;
    if (std::holds_alternative<permit_info>(found)) refuse("permit semaphore");
    if (std::get<lock_info>(found).held) refuse("lock");
    return std::nullopt;
}

int show_permits(client& owner, std::string const& name, bool json) {
    auto const found = owner.get_permit_semaphore(name).inspect();
    show(found, json);
    return found.is_set ? 0 : 1;
}

int show(std::optional<std::int64_t> number, std::string const& name, std::string const& type, bool json) {
    if (json)
        print(json_of_number(name, type, number));
    else
        print(type == "latch" ? text_of_latch(name, number) : text_of_semaphore(name, number));
    return number ? 0 : 1;
}

} // namespace

int show_status(arguments const& words) {
    common_options options;
    std::string name;
    std::string type;
    command_line line("status NAME [FLAGS]",
                      "Say whether the lock is free, or who holds it, and for how long still. Of a\n"
                      "permit semaphore of which permits are taken: which they are; of one of which\n"
                      "none is, of a semaphore and of a latch: the number.");
    line.word("NAME", "The name of the lock, the semaphore or the latch.", name);
    line.choice("--type", {"semaphore", "latch", "permits"},
                "What the number of this name is: the server does not know it. An error where it is no number.", type);
    declare(line, options, "One JSON object on stdout.");
    line.example("redlatch status backup");
    line.example("redlatch status reports --type semaphore");
    line.example("redlatch status backup --server redis://db1 --json");
    line.footer(exit_status_text("  0    the lock is held, or it is a semaphore or a latch\n"
                                 "  1    it is free; with --type: it is not set, or the latch is open\n"));
    line.parse(words);
    check_name(name);
    client owner(choose_server(options));
    if (type == "permits") return show_permits(owner, name, options.json);
    auto const found = look_at(owner, name, {.labels = true});
    if (!type.empty()) return show(number_in(found, name, type), name, type, options.json);
    if (auto const* const lock = std::get_if<lock_info>(&found)) return show(*lock, options.json);
    if (auto const* const semaphore = std::get_if<permit_info>(&found)) return show(*semaphore, options.json);
    auto const number = std::get<std::int64_t>(found);
    print(options.json ? json_of_number(name, "number", number) : text_of_number(name, number));
    return 0;
}

} // namespace redlatch::cli
