// redlatch semaphore ...: a number of permits that all processes share.
#include "commands/commands.hpp"
#include "counter_command.hpp"
#include "counter_wait.hpp"
#include "die_of_signal.hpp"
#include "durations.hpp"
#include "exit_code.hpp"
#include "subcommands.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>
#include <redlatch/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;

char const* const semaphore_help = "Usage: redlatch semaphore COMMAND NAME [FLAGS]\n"
                                   "\n"
                                   "A number of permits that all processes share: Redisson's RSemaphore. Permits\n"
                                   "belong to nobody: those that a process has taken are gone until somebody\n"
                                   "releases them, also when the process has ended.\n"
                                   "\n"
                                   "Commands:\n"
                                   "  set NAME PERMITS    Set it. Exit status 1: it was set already.\n"
                                   "  acquire NAME        Take permits; wait until there are enough.\n"
                                   "  release NAME        Add permits, and wake those who wait.\n"
                                   "  add NAME N          Make it N permits larger, or, with -N, smaller.\n"
                                   "  available NAME      Show how many there are.\n"
                                   "  drain NAME          Take all that there are, and show how many.\n"
                                   "  remove NAME         Delete it. Exit status 1: it was not set.\n"
                                   "\n"
                                   "redlatch semaphore COMMAND --help tells more.\n";

semaphore semaphore_of(client& owner, counter_command const& command) {
    command.refuse_permits_with_ids(owner);
    return owner.get_semaphore(command.name(), exactly_once);
}

std::string text_of(std::int64_t permits) {
    return std::to_string(permits) + (permits == 1 ? " permit" : " permits");
}

void declare_permits(command_line& line, std::string const& text, int& permits) {
    line.number("--permits", text + " Default: 1.", 1, largest_number, permits);
}

int set_semaphore(arguments const& words) {
    int permits = 0;
    std::optional<duration> expiry;
    counter_command command("semaphore", "set NAME PERMITS", "Set a semaphore, unless it is set already.");
    command.line().number_word("PERMITS", "How many there are to be taken: 0 or more.", 0, largest_number, permits);
    command.line().time("--expiry", "After this time it is not set any more. Default: it stays.", expiry);
    command.line().example("redlatch semaphore set reports 10");
    command.parse(words, "  0    it was set\n  1    it was set already; nothing was changed\n");
    refuse_shorter(expiry, 1ms, "--expiry", "it must be longer than nothing");
    client owner(choose_server(command.common()));
    auto which = semaphore_of(owner, command);
    bool const done = which.try_set_permits(permits, expiry);
    if (!done) which.available_permits(); // throws where something else has the name
    return command.answer("set", done,
                          command.shown()
                              + (done ? " is set to " + text_of(permits) + (expiry ? " for " + to_text(*expiry) : "")
                                      : " was set already; nothing was changed"));
}

/// Nobody will know that they were taken.
void give_back(semaphore& semaphore, counter_command const& command, int permits) {
    try {
        semaphore.release(permits);
    } catch (error const& problem) {
        command.common().reporter().problem("release_failed",
                                            text_of(permits) + " of " + command.shown()
                                                + " could not be given back for certain: " + problem.what(),
                                            {{"name", command.name()}});
    }
}

int acquire(arguments const& words) {
    int permits = 1;
    wait_flags flags;
    counter_command command("semaphore", "acquire NAME",
                            "Take permits, all of them or none; wait until there are enough. A semaphore\n"
                            "that is not set has none.");
    declare_permits(command.line(), "How many to take.", permits);
    declare(command.line(), flags, "the permits", "there are too few or the wait timed out");
    command.line().example("redlatch semaphore acquire reports && { ./report; redlatch semaphore release reports; }");
    command.line().example("redlatch semaphore acquire reports --permits 2 --wait 30s");
    command.parse(words, "  0    they were taken\n",
                  "  75   there are too few, or the wait timed out (see --conflict-exit-code)\n"
                  "  128 + n  signal n ended the tool while it waited; nothing was taken\n");
    check(flags);
    auto const inherited = inherited_signals::look();
    config const settings = choose_server(command.common(), flags);
    exit_on_signals(inherited);
    client owner(settings);
    auto which = semaphore_of(owner, command);
    block_ending_signals(inherited);
    auto const whom = text_of(permits) + " of " + command.shown();
    auto const end =
        wait_for_counter(command, flags, inherited, whom, [&](std::optional<duration> limit, std::stop_token stop) {
            which.acquire({.permits = permits, .wait = limit, .stop = std::move(stop)});
        });
    if (end.signal != 0) {
        if (end.done) give_back(which, command, permits);
        throw ended_by_signal{end.signal};
    }
    if (!end.done) {
        command.not_done("acquired", "busy", end.reason);
        return flags.conflict_exit_code;
    }
    try {
        command.done("acquired", "acquired", "took " + whom);
    } catch (output_error const& problem) {
        give_back(which, command, permits);
        throw output_error(std::string(problem.what()) + "; " + whom
                           + (permits == 1 ? " was given back" : " were given back"));
    }
    return 0;
}

int release_semaphore(arguments const& words) {
    int permits = 1;
    counter_command command("semaphore", "release NAME",
                            "Add permits, and wake those who wait. Nobody checks whether they were taken\n"
                            "before, and a semaphore that is not set is set by it.");
    declare_permits(command.line(), "How many to add.", permits);
    command.line().example("redlatch semaphore release reports");
    command.parse(words, "  0    they were added\n");
    client owner(choose_server(command.common()));
    semaphore_of(owner, command).release(permits);
    command.done("released", "released", "added " + text_of(permits) + " to " + command.shown());
    return 0;
}

int add(arguments const& words) {
    int change = 0;
    counter_command command("semaphore", "add NAME N",
                            "Make a semaphore N permits larger, and wake those who wait, or, with -N, smaller:\n"
                            "then there may be fewer than none until enough were released. An expiry stays. One\n"
                            "that is not set is set by it.");
    command.line().number_word("N", "How many more there are to be, or fewer, if it is below zero.", -largest_number,
                               largest_number, change);
    command.line().example("redlatch semaphore add reports 5");
    command.line().example("redlatch semaphore add reports -2");
    command.parse(words, "  0    it was done\n");
    if (change == 0) throw usage_error("adding 0 permits changes nothing; give a number above or below zero");
    client owner(choose_server(command.common()));
    semaphore_of(owner, command).add_permits(change);
    command.done("added", "added",
                 change > 0 ? "added " + text_of(change) + " to " + command.shown()
                            : "took " + text_of(-std::int64_t{change}) + " from " + command.shown());
    return 0;
}

int available(arguments const& words) {
    counter_command command("semaphore", "available NAME",
                            "Show how many permits there are; 0 also where it is not set.");
    command.line().example("redlatch semaphore available reports --json");
    command.parse(words, "  0    the number was shown\n");
    client owner(choose_server(command.common()));
    return command.answer("available", semaphore_of(owner, command).available_permits());
}

int drain(arguments const& words) {
    counter_command command("semaphore", "drain NAME", "Take all permits that there are, and show how many they were.");
    command.line().example("redlatch semaphore drain reports");
    command.parse(words, "  0    the number was shown; it may be 0\n");
    client owner(choose_server(command.common()));
    auto const taken = semaphore_of(owner, command).drain_permits();
    try {
        return command.answer("drained", taken);
    } catch (output_error const& problem) { // nobody could give them back otherwise
        throw output_error(std::string(problem.what()) + "; " + text_of(taken) + " of " + command.shown()
                           + (taken == 1 ? " was taken" : " were taken"));
    }
}

int remove_semaphore(arguments const& words) {
    counter_command command("semaphore", "remove NAME",
                            "Delete a semaphore. Those who wait for permits go on waiting.");
    command.line().example("redlatch semaphore remove reports");
    command.parse(words, "  0    it was removed\n  1    it was not set\n");
    client owner(choose_server(command.common()));
    bool const done = semaphore_of(owner, command).remove();
    return command.answer("removed", done, command.shown() + (done ? " was removed" : " was not set"));
}

} // namespace

int use_semaphore(arguments const& words) {
    return run_subcommand("semaphore",
                          {{"set", &set_semaphore},
                           {"acquire", &acquire},
                           {"release", &release_semaphore},
                           {"add", &add},
                           {"available", &available},
                           {"drain", &drain},
                           {"remove", &remove_semaphore}},
                          semaphore_help, words);
}

} // namespace redlatch::cli
