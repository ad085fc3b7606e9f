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

std::string report::line(std::string_view event, std::string_view message, std::vector<field> const& fields) const {
    if (!json_) return "redlatch: " + printable_message(message) + '\n';
    auto const since_epoch = std::chrono::system_clock::now().time_since_epoch();
    auto const at = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
    return json_of_event(event, at, message, fields);
}

void report::say(std::string_view event, std::string_view message, std::vector<field> const& fields) const {
    write_all(STDERR_FILENO, line(event, message, fields));
}

} // namespace redlatch::cli
