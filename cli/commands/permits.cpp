// redlatch permits ...: a permit semaphore, whose permits have ids and leases while they are taken.
#include "commands/commands.hpp"
#include "counter_command.hpp"
#include "json_line.hpp"
#include "permit_view.hpp"
#include "subcommands.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>
#include <redlatch/error.hpp>

#include <string>

namespace redlatch::cli {
namespace {

char const* const permits_help =
    "Usage: redlatch permits COMMAND NAME [FLAGS]\n"
    "\n"
    "A permit semaphore: Redisson's RPermitExpirableSemaphore. Each permit that is\n"
    "taken has an id, and comes back when its lease is over or its id is released.\n"
    "redlatch run NAME --permits N/OF takes permits for as long as a command runs.\n"
    "\n"
    "Commands:\n"
    "  set NAME PERMITS    Set how many there are. Exit status 1: it was set already.\n"
    "  show NAME           Show how many there are, and which are taken.\n"
    "  release NAME ID     End anybody's hold of a permit. Exit status 1: it is not there.\n"
    "  remove NAME         Delete it. Exit status 1: it was not set.\n"
    "\n"
    "redlatch permits COMMAND --help tells more.\n";

char const* const kind = "permit semaphore";

permit_semaphore permits_of(client& owner, counter_command const& command) {
    return owner.get_permit_semaphore(command.name(), exactly_once);
}

std::string in_all(int permits) {
    return std::to_string(permits) + (permits == 1 ? " permit" : " permits") + " in all";
}

int set_permits(arguments const& words) {
    int permits = 0;
    bool resize = false;
    counter_command command("permits", kind, "set NAME PERMITS",
                            "Set how many permits there are in all, unless that is set already.");
    command.line().number_word("PERMITS", "How many there are, taken or not: 0 or more.", 0, largest_number, permits);
    command.line().flag("--resize", "Also where it is set already. Permits that are taken stay taken.", resize);
    command.line().example("redlatch permits set reports 3");
    command.line().example("redlatch permits set reports 5 --resize");
    command.parse(words, "  0    it was set\n  1    it was set already; nothing was changed\n");
    client owner(choose_server(command.common()));
    auto which = permits_of(owner, command);
    bool const done = resize || which.try_set_permits(permits);
    if (resize) which.set_permits(permits);
    if (!done) which.get_permits(); // throws where something else has the name
    return command.answer(
        "set", done, command.shown() + (done ? " has " + in_all(permits) : " was set already; nothing was changed"));
}

int show(arguments const& words) {
    counter_command command("permits", kind, "show NAME", "Show how many permits there are, and which are taken.");
    command.line().example("redlatch permits show reports --json");
    command.parse(words, "  0    it is set\n  1    it is not\n");
    client owner(choose_server(command.common()));
    auto const seen = permits_of(owner, command).inspect();
    print(command.common().json ? json_of(seen) : text_of_permits(seen));
    return seen.is_set ? 0 : 1;
}

int release_permits(arguments const& words) {
    std::string id;
    counter_command command("permits", kind, "release NAME ID",
                            "Give a permit back by its id, whoever has taken it, and wake those who wait.\n"
                            "Whoever held it learns of it at the next renewal, and may still work until then.");
    command.line().word("ID", "32 hexadecimal characters, as show has them.", id);
    command.line().example("redlatch permits release reports 8f14e45fceea167a5a36dedd4bea2543");
    command.parse(words,
                  "  0    it was released\n  1    it is not there: it was released before, or its lease is over\n");
    client owner(choose_server(command.common()));
    if (permits_of(owner, command).try_release(id)) {
        command.done("released", "released", "released the permit " + id + " of " + command.shown());
        return 0;
    }
    command.not_done("released", "no_permit",
                     command.shown() + " has no permit " + id + " that is taken; nothing was changed");
    return 1;
}

int remove_permits(arguments const& words) {
    counter_command command("permits", kind, "remove NAME",
                            "Delete a permit semaphore, with all permits that are taken. Those who hold some\n"
                            "learn of it at the next renewal; those who wait go on waiting.");
    command.line().example("redlatch permits remove reports");
    command.parse(words, "  0    it was removed\n  1    it was not set\n");
    client owner(choose_server(command.common()));
    bool const done = permits_of(owner, command).remove();
    return command.answer("removed", done, command.shown() + (done ? " was removed" : " was not set"));
}

} // namespace

int use_permits(arguments const& words) {
    return run_subcommand(
        "permits", {{"set", &set_permits}, {"show", &show}, {"release", &release_permits}, {"remove", &remove_permits}},
        permits_help, words);
}

} // namespace redlatch::cli
