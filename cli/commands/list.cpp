// redlatch list: the locks whose names match, or the semaphores or latches.
#include "commands/commands.hpp"
#include "counter_table.hpp"
#include "json_line.hpp"
#include "lock_table.hpp"
#include "options.hpp"
#include "text.hpp"

#include <redlatch/client.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::cli {
namespace {

/// Keys that could not be looked at do not keep the others from being shown.
class unreadable_keys {
public:
    /// Takes them out.
    template <typename T> void take_from(std::vector<T>& found) {
        auto const others =
            std::stable_partition(found.begin(), found.end(), [](T const& one) { return one.problem.empty(); });
        if (others == found.end()) return;
        if (count_ == 0) name_ = others->name;
        if (count_ == 0) problem_ = others->problem;
        count_ += found.end() - others;
        found.erase(others, found.end());
    }
    void say(report const& reporter) const {
        if (count_ == 0) return;
        auto const more = count_ > 1 ? " (and so were " + std::to_string(count_ - 1) + " more keys)" : std::string();
        reporter.problem("unreadable", "not shown: " + problem_ + more,
                         {{"name", name_}, {"count", std::int64_t{count_}}});
    }

private:
    std::string name_{}; ///< of the first one
    std::string problem_{};
    std::int64_t count_ = 0;
};

/// Prints what a listing finds as it comes: rows of a table, or objects.
template <class Table> class found_printer {
public:
    found_printer(Table table, bool json) : table_(std::move(table)), json_(json) {}

    template <class Found, class Object> void print_all(std::vector<Found> found, Object const& object_of) {
        unreadable_.take_from(found);
        if (found.empty()) return;
        std::string text;
        if (!json_) text = table_.rows_of(found);
        if (json_)
            for (auto const& one : found) text += object_of(one);
        print(text);
    }
    /// `None`: what the table has rows of.
    template <class None> void end(report const& reporter) {
        if (!json_) print(table_.rows_of(std::span<None const>())); // the heading, if there was nothing
        unreadable_.say(reporter);
    }

private:
    Table table_;
    bool const json_;
    unreadable_keys unreadable_{};
};

void print_locks(client& owner, std::string const& pattern, common_options const& options) {
    found_printer<lock_table> printer({}, options.json);
    auto const object_of = [](auto const& one) { return json_of(one); };
    owner.visit_locks(pattern, [&](std::vector<lock_info> found) { printer.print_all(std::move(found), object_of); },
                      {.labels = true});
    owner.visit_permit_semaphores(
        pattern, [&](std::vector<permit_info> found) { printer.print_all(std::move(found), object_of); });
    printer.end<lock_info>(options.reporter());
}

void print_permit_semaphores(client& owner, std::string const& pattern, common_options const& options) {
    found_printer printer(counter_table("permits"), options.json);
    auto const object_of = [](permit_info const& one) { return json_of(one); };
    owner.visit_permit_semaphores(
        pattern, [&](std::vector<permit_info> found) { printer.print_all(std::move(found), object_of); },
        {.with_untaken = true});
    printer.end<permit_info>(options.reporter());
}

void print_counters(client& owner, std::string const& pattern, std::string const& type, common_options const& options) {
    found_printer printer(counter_table(type), options.json);
    auto const object_of = [&](counter_info const& one) { return json_of_number(one.name, type, one.number); };
    owner.visit_counters(pattern,
                         [&](std::vector<counter_info> found) { printer.print_all(std::move(found), object_of); });
    printer.end<counter_info>(options.reporter());
}

} // namespace

int list_locks(arguments const& words) {
    common_options options;
    std::optional<std::string> pattern;
    std::string type;
    command_line line("list [PATTERN] [FLAGS]",
                      "Show the locks whose names match a glob-style pattern, as they are found: those\n"
                      "that are held, fair locks that are free and have a queue, and the permit\n"
                      "semaphores of which permits are taken. Semaphores, latches and the other permit\n"
                      "semaphores are numbers on the server, which does not know what they count: they\n"
                      "are not shown, but with --type.");
    line.optional_word("PATTERN", "As in Redis: * ? [abc] and \\ before a special character. Default: all.", pattern);
    line.choice("--type", {"semaphore", "latch", "permits"},
                "Show the numbers that match, and no locks; this says what they count.", type);
    declare(line, options, "One JSON object on stdout for each that is found.");
    line.example("redlatch list");
    line.example("redlatch list 'backup:*' --json");
    line.example("redlatch list 'reports:*' --type semaphore");
    line.footer(exit_status_text("  0    also when there are none\n"));
    line.parse(words);
    client owner(choose_server(options));
    auto const which = pattern.value_or("*");
    if (type.empty())
        print_locks(owner, which, options);
    else if (type == "permits")
        print_permit_semaphores(owner, which, options);
    else
        print_counters(owner, which, type, options);
    return 0;
}

} // namespace redlatch::cli
