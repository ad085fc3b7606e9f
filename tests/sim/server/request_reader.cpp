#include "sim/server/request_reader.hpp"

#include "sim/server/text.hpp"

#include <limits>

namespace redlatch::sim {
namespace {

constexpr std::size_t longest_line = 64 * 1024;
constexpr std::int64_t longest_bulk = 512 * 1024 * 1024;
constexpr std::int64_t most_parts_untrusted = 10;
constexpr std::int64_t longest_bulk_untrusted = 16 * 1024;

} // namespace

void request_reader::begin(std::string_view bytes) {
    if (pending_.empty()) {
        window_ = bytes;
    } else {
        pending_.append(bytes);
        window_ = pending_;
    }
}

void request_reader::end() {
    if (pending_.empty()) {
        pending_ = window_;
    } else {
        pending_.erase(0, pending_.size() - window_.size());
    }
    window_ = {};
}

request_reader::result request_reader::broken(std::string_view what) {
    problem_ = "ERR Protocol error: " + std::string(what);
    return result::broken;
}

request_reader::result request_reader::next(std::vector<std::string_view>& argv) {
    if (!problem_.empty()) return result::broken;
    for (;;) {
        argv.clear();
        if (window_.empty()) return result::need_more;
        auto const outcome = window_.front() == '*' ? next_array(argv) : next_inline(argv);
        // An empty command is not even answered.
        if (outcome != result::command || !argv.empty()) return outcome;
    }
}

request_reader::result request_reader::next_array(std::vector<std::string_view>& argv) {
    auto rest = window_;
    // A length line ends at its '\r'; the byte after it is not looked at.
    auto const line_of = [&rest] { return rest.substr(0, rest.find('\r')); };
    auto const whole = [&rest](std::string_view line) { return rest.size() >= line.size() + 2; };

    auto line = line_of();
    if (!whole(line)) return line.size() > longest_line ? broken("too big mbulk count string") : result::need_more;
    auto const parts = integer_in(line.substr(1));
    if (!parts || *parts > std::numeric_limits<int>::max()) return broken("invalid multibulk length");
    if (*parts > most_parts_untrusted && !trusted_) return broken("unauthenticated multibulk length");
    rest.remove_prefix(line.size() + 2);

    for (std::int64_t part = 0; part < *parts; ++part) {
        if (rest.empty()) return result::need_more;
        line = line_of();
        if (!whole(line)) return line.size() > longest_line ? broken("too big bulk count string") : result::need_more;
        if (rest.front() != '$') {
            char const shown = rest.front() == '\r' ? ' ' : rest.front();
            return broken(std::string("expected '$', got '") + shown + "'");
        }
        auto const length = integer_in(line.substr(1));
        if (!length || *length < 0 || *length > longest_bulk) return broken("invalid bulk length");
        if (*length > longest_bulk_untrusted && !trusted_) return broken("unauthenticated bulk length");
        rest.remove_prefix(line.size() + 2);
        auto const size = static_cast<std::size_t>(*length);
        if (rest.size() < size + 2) return result::need_more;
        argv.push_back(rest.substr(0, size));
        rest.remove_prefix(size + 2);
    }
    window_ = rest;
    return result::command;
}

request_reader::result request_reader::next_inline(std::vector<std::string_view>& argv) {
    auto const end = window_.find('\n');
    if (end == std::string_view::npos)
        return window_.size() > longest_line ? broken("too big inline request") : result::need_more;
    auto line = window_.substr(0, end);
    window_.remove_prefix(end + 1);
    for (;;) {
        auto const first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) return result::command;
        line.remove_prefix(first);
        auto const word = line.substr(0, line.find_first_of(" \t\r"));
        argv.push_back(word);
        line.remove_prefix(word.size());
    }
}

} // namespace redlatch::sim
