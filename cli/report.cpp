#include "report.hpp"

#include "text.hpp"

#include <chrono>
#include <string>
#include <unistd.h>

namespace redlatch::cli {

void report::note(std::string_view event, std::string_view message, std::vector<field> const& fields) const {
    if (wants_notes()) say(event, message, fields);
}

void report::problem(std::string_view event, std::string_view message, std::vector<field> const& fields) const {
    say(event, message, fields);
}

void report::say(std::string_view event, std::string_view message, std::vector<field> const& fields) const {
    if (json_) {
        auto const since_epoch = std::chrono::system_clock::now().time_since_epoch();
        auto const at = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
        write_all(STDERR_FILENO, json_of_event(event, at, message, fields));
    } else {
        write_all(STDERR_FILENO, "redlatch: " + printable_message(message) + '\n');
    }
}

} // namespace redlatch::cli
