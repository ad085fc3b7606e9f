// redlatch unlock NAME --force: ends anybody's hold.
#include "commands/commands.hpp"
#include "exit_code.hpp"
#include "holders.hpp"
#include "json_line.hpp"
#include "lock_check.hpp"
#include "options.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>
#include <redlatch/lock_info.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::cli {
namespace {

/// Each kind wakes its waiters in its own way.
basic_lock lock_of(client& owner, lock_info const& seen) {
    if (seen.type == "fair") return owner.get_fair_lock(seen.name);
    if (seen.type == "read") return owner.get_read_write_lock(seen.name).read_lock();
    if (seen.type == "write") return owner.get_read_write_lock(seen.name).write_lock();
    return owner.get_lock(seen.name);
}

/// What became of the queue of a fair lock that was free.
std::string text_of_pass(std::span<lock_waiter const> queue) {
    if (queue.empty()) return {};
    auto const behind = queue.size() - 1;
    auto const text = ", and the first of its queue was passed over: " + text_of(queue.front());
    return behind == 0 ? text : text + "; behind it " + (behind == 1 ? "1 waits" : std::to_string(behind) + " wait");
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
    line.footer(exit_status_text("  0    the lock was held\n  1    it was free\n"));
    line.parse(words);
    check_name(name);
    if (!force)
        throw usage_error("this takes the lock '" + name
                          + "' away from whoever holds it, while it may still work; say --force "
                            "if that is what you want");
    client owner(choose_server(options));
    bool was_held = false;
    std::vector<lock_waiter> queue;                              // of a lock that was free
    for (int tries = 0; !was_held && tries < 3; ++tries) {       // its readers may have left to a writer meanwhile
        auto seen = inspect_lock(owner, name, {.labels = true}); // force_unlock() removes any hash
        if (tries > 0 && !seen.held) break;
        was_held = lock_of(owner, seen).force_unlock();
        if (was_held || seen.held) continue;
        queue = std::move(seen.waiters);
        break; // whoever holds it by now has it from this very call: the next one of the queue
    }
    if (options.json)
        print(json_of_unlock(name, was_held, queue.empty() ? std::nullopt : std::optional(queue.front().owner)));
    else
        print("'" + printable(name) + (was_held ? "' was held and is free now" : "' was free") + text_of_pass(queue)
              + '\n');
    return was_held ? 0 : 1;
}

} // namespace redlatch::cli
