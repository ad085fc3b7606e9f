#include "support/monitor.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace redlatch::test {
namespace {

constexpr char const* marker_prefix = "redlatch-test-marker-";

/// A space or the end of the line is behind it: Valkey 8.1.1 escapes neither quotes nor backslashes within a word.
bool is_last_quote(std::string_view text, std::size_t at) {
    return text[at] == '"' && (at + 1 == text.size() || text[at + 1] == ' ');
}

/// One quoted word: \" \\ \n \r \t \a \b and \xHH, as sdscatrepr writes them.
std::string unquote(std::string_view text, std::size_t& at) {
    std::string word;
    for (++at; at < text.size() && !is_last_quote(text, at); ++at) {
        if (text[at] != '\\') {
            word += text[at];
            continue;
        }
        switch (text[++at]) {
        case 'n': word += '\n'; break;
        case 'r': word += '\r'; break;
        case 't': word += '\t'; break;
        case 'a': word += '\a'; break;
        case 'b': word += '\b'; break;
        case 'x': {
            int byte = 'x';
            auto const digits = text.substr(at + 1, 2);
            if (std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ec == std::errc()) at += 2;
            word += static_cast<char>(byte);
            break;
        }
        default: word += text[at]; break;
        }
    }
    ++at;
    return word;
}

/// `1339518083.107412 [0 127.0.0.1:60866] "keys" "*"`
std::optional<monitor::entry> parse(std::string_view line) {
    auto const open = line.find('[');
    auto const close = line.find("] ", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
    auto const where = line.substr(open + 1, close - open - 1);
    monitor::entry result;
    result.client = std::string(where.substr(where.find(' ') + 1));
    for (std::size_t at = line.find('"', close); at != std::string_view::npos; at = line.find('"', at))
        result.command.push_back(unquote(line, at));
    return result;
}

} // namespace

monitor::monitor(redis_server const& server) : server_(server), connection_(server.address()) {
    if (!connection_.command("MONITOR").is_text()) throw std::runtime_error("MONITOR was refused");
    reader_ = std::thread([this] { read_all(); });
}

monitor::~monitor() {
    ending_ = true;
    reader_.join();
}

void monitor::read_all() {
    try {
        while (!ending_) {
            auto const line = connection_.receive_if_any(std::chrono::milliseconds(50));
            if (!line) continue;
            if (auto one = parse(line->text)) {
                std::lock_guard const guard(mutex_);
                entries_.push_back(*std::move(one));
            }
        }
    } catch (std::runtime_error const&) {
    } // the server has gone: what was recorded stays
}

std::vector<monitor::entry> monitor::entries() {
    // What ran before the marker was recorded before it.
    std::string const marker = marker_prefix + std::to_string(++marker_);
    server_.run("ECHO", marker);
    auto const is_marker = [&](entry const& one) { return one.command.size() == 2 && one.command[1] == marker; };
    bool const complete = wait_until([&] {
        std::lock_guard const guard(mutex_);
        return std::any_of(entries_.begin(), entries_.end(), is_marker);
    });
    if (!complete) throw std::runtime_error("MONITOR shows nothing more");
    std::lock_guard const guard(mutex_);
    std::erase_if(entries_, [](entry const& one) {
        return one.command.size() == 2 && one.command[1].starts_with(marker_prefix);
    });
    return entries_;
}

std::vector<words> monitor::commands() {
    std::vector<words> result;
    for (auto& one : entries())
        if (one.client != "lua") result.push_back(std::move(one.command));
    return result;
}

std::size_t monitor::count(matcher which) {
    auto const all = commands();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), which));
}

void monitor::forget() {
    entries();
    std::lock_guard const guard(mutex_);
    entries_.clear();
}

} // namespace redlatch::test
