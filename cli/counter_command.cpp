#include "counter_command.hpp"

#include "json_line.hpp"
#include "report.hpp"
#include "text.hpp"

#include <redlatch/error.hpp>

#include <utility>

namespace redlatch::cli {
namespace {

/// Of a look at permits with ids, what it says of whatever has the name.
std::string with_kind(std::string message, std::string const& kind) {
    constexpr std::string_view looked_for = "permit semaphore";
    if (auto const at = message.find(looked_for); at != std::string::npos) message.replace(at, looked_for.size(), kind);
    return message;
}

} // namespace

char const* const exactly_once_help =
    "A request whose answer is lost is repeated, and carried out once. For that, each\n"
    "one that changes the number leaves a small key beside it for a minute.\n";

counter_command::counter_command(std::string const& command, std::string kind, std::string const& usage,
                                 std::string const& description)
    : kind_(std::move(kind)), line_(command + ' ' + usage + " [FLAGS]", description) {
    line_.word("NAME", "The name of the " + kind_ + ": any bytes, at most 64 KiB.", name_);
}

void counter_command::parse(arguments const& words, std::string const& first, std::string const& last) {
    declare(line_, common_, "One JSON object on stdout.");
    line_.footer("Exit status:\n" + first
                 + "  64   the command line, the address or the configuration cannot be used\n"
                   "  69   no server, or it refused, or the key is not a "
                 + kind_
                 + "\n  70   internal error\n"
                   "  74   the output cannot be written to stdout\n"
                 + last + '\n' + exactly_once_help);
    line_.parse(words);
    check_name(name_, kind_);
}

std::string counter_command::shown() const {
    return "the " + kind_ + " '" + printable(name_) + "'";
}

void counter_command::refuse_permits_with_ids(client& owner) const {
    std::int64_t taken = 0;
    try {
        taken = owner.get_permit_semaphore(name_).inspect().taken;
    } catch (error const& problem) {
        auto const reason = problem.reason();
        // A right that only this look needs, or no number, or no list of leases beside it: the change says it.
        if (reason == errc::server_refused || reason == errc::wrong_type || reason == errc::bad_reply) return;
        throw error(reason, with_kind(problem.what(), kind_));
    }
    if (taken > 0)
        throw error(errc::wrong_type, "'" + printable(name_) + "' is a permit semaphore, not a " + kind_ + ", and "
                                          + std::to_string(taken)
                                          + (taken == 1 ? " permit of it is" : " permits of it are")
                                          + " taken; nothing was changed (redlatch permits show tells more)");
}

int counter_command::answer(std::string_view member, bool yes, std::string const& message) const {
    print(common_.json ? json_of_counter(name_, member, yes) : message + '\n');
    return yes ? 0 : 1;
}

int counter_command::answer(std::string_view member, std::int64_t number) const {
    print(common_.json ? json_of_counter(name_, member, number) : std::to_string(number) + '\n');
    return 0;
}

void counter_command::done(std::string_view member, std::string_view event, std::string const& message) const {
    if (common_.json)
        print(json_of_counter(name_, member, true));
    else
        common_.reporter().note(event, message, {{"name", name_}});
}

void counter_command::not_done(std::string_view member, std::string_view event, std::string const& message) const {
    common_.reporter().problem(event, message, {{"name", name_}});
    if (common_.json) print(json_of_counter(name_, member, false));
}

} // namespace redlatch::cli
