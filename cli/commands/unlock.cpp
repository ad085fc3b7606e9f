// redlatch unlock NAME --force: ends anybody's hold.
#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "json_line.hpp"
#include "lock_check.hpp"
#include "options.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>

namespace redlatch::cli {
namespace {

/// Each kind wakes its waiters in its own way.
basic_lock lock_of(client& owner, lock_info const& seen) {
    if (seen.type == "fair") return owner.get_fair_lock(seen.name);
    if (seen.type == "read") return owner.get_read_write_lock(seen.name).read_lock();
    if (seen.type == "write") return owner.get_read_write_lock(seen.name).write_lock();
    return owner.get_lock(seen.name);
}

} // namespace

int unlock(arguments const& words) {
    common_options options;
    std::string name;
    bool force = false;
    command_line line("unlock NAME --force [FLAGS]", "End anybody's hold of the lock and wake those who wait for it.");
    line.word("NAME", "The name of the lock.", name);
    line.flag("--force", "Needed: the holder may work on until it learns that the lock is gone.", force);
    declare(line, options, "One JSON object on stdout.");
    line.example("redlatch unlock backup --force");
    line.footer("Exit status:\n  0    the lock was held\n  1    it was free\n"
                + std::string(exit_status_help).substr(std::string("Exit status:\n").size()));
    line.parse(words);
    check_name(name);
    if (!force)
        throw usage_error("this takes the lock '" + name
                          + "' away from whoever holds it, while it may still work; say --force "
                            "if that is what you want");
    client owner(choose_server(options));
    bool was_held = false;
    for (int tries = 0; !was_held && tries < 3; ++tries) { // its readers may have left to a writer meanwhile
        auto const seen = inspect_lock(owner, name);       // force_unlock() removes any hash
        if (tries > 0 && !seen.held) break;
        was_held = lock_of(owner, seen).force_unlock();
    }
    if (options.json)
        print(json_of_unlock(name, was_held));
    else
        print("'" + printable(name) + (was_held ? "' was held and is free now\n" : "' was free\n"));
    return was_held ? 0 : 1;
}

} // namespace redlatch::cli
