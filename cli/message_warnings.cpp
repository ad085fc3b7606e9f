#include "message_warnings.hpp"

#include "text.hpp"

#include <unistd.h>

namespace redlatch::cli {

void message_warnings::show(std::string_view line) {
    auto const says = [&](std::string_view words) { return line.find(words) != std::string_view::npos; };
    bool const of_hearing = says("does not let this user listen to messages");
    if (!of_hearing && !says("this user may not publish")) return;
    auto& said = of_hearing ? said_of_hearing_ : said_of_sending_;
    if (said.exchange(true)) return;
    if (!write_at_once(STDERR_FILENO, reporter_.line("warning", line))) said = false; // a later one may be
}

} // namespace redlatch::cli
