// redlatch latch ...: a gate that opens when it has been counted down.
#include "commands/commands.hpp"
#include "counter_command.hpp"
#include "counter_wait.hpp"
#include "die_of_signal.hpp"
#include "subcommands.hpp"

#include <redlatch/client.hpp>

#include <optional>
#include <string>

namespace redlatch::cli {
namespace {

char const* const latch_help = "Usage: redlatch latch COMMAND NAME [FLAGS]\n"
                               "\n"
                               "A gate that opens when it has been counted down, by whatever processes:\n"
                               "Redisson's RCountDownLatch. One that is open cannot be told from one that was\n"
                               "never set: set it before anybody waits.\n"
                               "\n"
                               "Commands:\n"
                               "  set NAME COUNT      Set it. Exit status 1: it was set already.\n"
                               "  count-down NAME     One less; at zero it opens. Exit status 1: there is none.\n"
                               "  wait NAME           Wait until it is open.\n"
                               "  count NAME          Show what is left.\n"
                               "  remove NAME         Delete it, which opens it. Exit status 1: it was not set.\n"
                               "\n"
                               "redlatch latch COMMAND --help tells more.\n";

count_down_latch latch_of(client& owner, counter_command const& command) {
    command.refuse_permits_with_ids(owner);
    return owner.get_count_down_latch(command.name(), exactly_once);
}

int set_latch(arguments const& words) {
    int count = 0;
    counter_command command("latch", "set NAME COUNT", "Set a latch, unless it is set already.");
    command.line().number_word("COUNT", "How often it is to be counted down: 1 or more.", 1, largest_number, count);
    command.line().example("redlatch latch set loaded 3");
    command.parse(words, "  0    it was set\n  1    it was set already; nothing was changed\n");
    client owner(choose_server(command.common()));
    auto which = latch_of(owner, command);
    bool const done = which.try_set_count(count);
    if (!done) which.count(); // throws where something else has the name
    return command.answer(
        "set", done,
        command.shown() + (done ? " is set to " + std::to_string(count) : " was set already; nothing was changed"));
}

int count_down(arguments const& words) {
    counter_command command("latch", "count-down NAME", "Count a latch down by one; at zero those who wait go on.");
    command.line().example("redlatch latch count-down loaded");
    command.parse(words, "  0    it was counted down\n  1    there is no latch of that name; nothing was changed\n");
    client owner(choose_server(command.common()));
    if (latch_of(owner, command).count_down()) {
        command.done("counted", "counted", "counted down " + command.shown());
        return 0;
    }
    command.not_done("counted", "no_latch",
                     command.shown() + " is not set, or was counted down to zero before; nothing was changed");
    return 1;
}

int wait(arguments const& words) {
    wait_flags flags;
    counter_command command("latch", "wait NAME",
                            "Wait until a latch is open: counted down to zero, removed, or not set at all.");
    declare(command.line(), flags, "the latch", "the latch is not open or the wait timed out");
    command.line().example("redlatch latch wait loaded --wait 5m && ./start");
    command.parse(words, "  0    it is open\n",
                  "  75   it is not open, or the wait timed out (see --conflict-exit-code)\n"
                  "  128 + n  signal n ended the tool while it waited\n");
    check(flags);
    auto const inherited = inherited_signals::look();
    config const settings = choose_server(command.common(), flags);
    exit_on_signals(inherited);
    client owner(settings);
    auto which = latch_of(owner, command);
    block_ending_signals(inherited);
    auto const end = wait_for_counter(command, flags, inherited, command.shown(),
                                      [&](std::optional<duration> limit, std::stop_token stop) {
                                          which.wait({.wait = limit, .stop = std::move(stop)});
                                      });
    if (end.signal != 0) throw ended_by_signal{end.signal};
    if (end.done) {
        command.done("open", "open", command.shown() + " is open");
        return 0;
    }
    command.not_done("open", "busy", end.reason);
    return flags.conflict_exit_code;
}

int count(arguments const& words) {
    counter_command command("latch", "count NAME", "Show how often it is still to be counted down; 0: it is open.");
    command.line().example("redlatch latch count loaded --json");
    command.parse(words, "  0    the number was shown\n");
    client owner(choose_server(command.common()));
    return command.answer("count", latch_of(owner, command).count());
}

int remove_latch(arguments const& words) {
    counter_command command("latch", "remove NAME", "Delete a latch. Those who wait for it go on.");
    command.line().example("redlatch latch remove loaded");
    command.parse(words, "  0    it was removed\n  1    it was not set\n");
    client owner(choose_server(command.common()));
    bool const done = latch_of(owner, command).remove();
    return command.answer("removed", done, command.shown() + (done ? " was removed" : " was not set"));
}

} // namespace

int use_latch(arguments const& words) {
    return run_subcommand("latch",
                          {{"set", &set_latch},
                           {"count-down", &count_down},
                           {"wait", &wait},
                           {"count", &count},
                           {"remove", &remove_latch}},
                          latch_help, words);
}

} // namespace redlatch::cli
