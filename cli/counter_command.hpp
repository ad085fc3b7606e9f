// What the commands about one semaphore or one latch have in common.
#pragma once

#include "command_line.hpp"
#include "options.hpp"

#include <redlatch/client.hpp>
#include <redlatch/counter_options.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace redlatch::cli {

/// Of permits and of counts, as in Java.
inline constexpr int largest_number = std::numeric_limits<int>::max();

/// A process that ends at once cannot look at what became of a request whose answer was lost.
inline constexpr counter_options exactly_once{.exactly_once = true};

/// For the help of each of them.
extern char const* const exactly_once_help;

class counter_command {
public:
    /// `kind`: "semaphore" or "latch", as the command is called too. `usage` is what follows the program's name. Declares NAME.
    counter_command(std::string const& kind, std::string const& usage, std::string const& description)
        : counter_command(kind, kind, usage, description) {}
    /// Where the command is called otherwise than what it is about.
    counter_command(std::string const& command, std::string kind, std::string const& usage,
                    std::string const& description);

    /// Further words and flags, before parse().
    command_line& line() noexcept { return line_; }
    /// `first` and `last`: the lines of the table of exit statuses that only this command has, below 64 and above 74. Throws
    /// usage_error, help_requested.
    void parse(arguments const& words, std::string const& first, std::string const& last = {});

    std::string const& name() const noexcept { return name_; }
    common_options const& common() const noexcept { return common_; }
    std::string shown() const; ///< "the semaphore 'reports'"
    /// Before its number is read or changed: throws error(wrong_type) if permits with ids are taken, so that the number is
    /// that of a permit semaphore. One of which none is taken cannot be told from others. One round trip, or two.
    void refuse_permits_with_ids(client& owner) const;

    // The result, on stdout: a message, or with --json an object whose second member is `member`. Exit status: 0, or 1 for no.
    int answer(std::string_view member, bool yes, std::string const& message) const;
    int answer(std::string_view member, std::int64_t number) const;

    // The same for what scripts do many times: without --json nothing is printed on stdout.
    /// It was done. Shown with --verbose.
    void done(std::string_view member, std::string_view event, std::string const& message) const;
    /// It was not. Shown on stderr.
    void not_done(std::string_view member, std::string_view event, std::string const& message) const;

private:
    std::string kind_;
    command_line line_;
    common_options common_{};
    std::string name_{};
};

} // namespace redlatch::cli
