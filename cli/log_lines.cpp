#include "log_lines.hpp"

#include "text.hpp"

#include <string>
#include <unistd.h>

namespace redlatch::cli {

void log_lines::show(std::string_view line) {
    if (auto const count = left_out_.exchange(0); count != 0) {
        auto const message = std::to_string(count) + (count == 1 ? " line of the log was" : " lines of the log were")
                             + " not shown, because nobody read stderr";
        if (!write_at_once(STDERR_FILENO, reporter_.line("log_left_out", message, {{"lines", count}})))
            left_out_ += count;
    }
    if (!write_at_once(STDERR_FILENO, reporter_.line("log", line))) ++left_out_;
}

} // namespace redlatch::cli
