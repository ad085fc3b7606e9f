#include "java_peer.hpp"

#include <charconv>
#include <csignal>
#include <stdexcept>

namespace redlatch::test {

namespace {

child_options program(std::filesystem::path const& classes, std::string const& uri, std::chrono::milliseconds watchdog,
                      std::chrono::milliseconds fair_wait, java_peer::words const& environment) {
    std::string const class_path = (classes / "interop-peer.jar").string() + ":" + (classes / "lib").string() + "/*";
    return {.arguments = {"java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path,
                          "redlatch.interop.Peer", uri, std::to_string(watchdog.count()),
                          std::to_string(fair_wait.count())},
            .environment = environment};
}

constexpr std::string_view digits = "0123456789ABCDEF";

} // namespace

java_peer::java_peer(std::filesystem::path const& classes, std::string const& uri,
                     std::chrono::milliseconds watchdog_timeout, std::chrono::milliseconds fair_wait,
                     words const& environment)
    : process_(program(classes, uri, watchdog_timeout, fair_wait, environment)) {
    // A JVM on a busy machine may take its time.
    if (!reply_if_any(0, std::chrono::minutes(2)))
        throw std::runtime_error("the Java peer did not come up: " + process_.error_text());
}

java_peer::ticket java_peer::start(std::string const& thread, std::string const& command, words const& arguments) {
    std::string line = std::to_string(++last_) + " " + thread + " " + command;
    for (auto const& argument : arguments) line += " " + percent_encoded(argument);
    process_.write(line + "\n");
    return last_;
}

std::optional<java_peer::reply> java_peer::reply_if_any(ticket which, std::chrono::milliseconds limit) {
    auto const end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        if (auto const found = replies_.find(which); found != replies_.end()) {
            auto result = found->second;
            replies_.erase(found);
            return result;
        }
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (!take_line(std::max(left, std::chrono::milliseconds(0)))) return std::nullopt;
    }
}

java_peer::reply java_peer::end_of(ticket which, std::chrono::milliseconds limit) {
    if (auto result = reply_if_any(which, limit)) return *result;
    throw std::runtime_error("no reply from the Java peer; its stderr: " + process_.error_text());
}

std::string java_peer::value(std::string const& thread, std::string const& command, words const& arguments) {
    auto const answer = ask(thread, command, arguments);
    if (!answer.ok) throw std::runtime_error("Java: " + command + ": " + answer.exception_class + ": " + answer.value);
    return answer.value;
}

long long java_peer::number(std::string const& thread, std::string const& command, words const& arguments) {
    return std::stoll(value(thread, command, arguments));
}

bool java_peer::yes(std::string const& thread, std::string const& command, words const& arguments) {
    return value(thread, command, arguments) == "true";
}

void java_peer::kill() {
    process_.signal(SIGKILL);
    process_.wait();
}

bool java_peer::take_line(std::chrono::milliseconds limit) {
    auto const line = process_.read_line(limit);
    if (!line) return false;
    // SEQ ok VALUE | SEQ error CLASS TEXT
    auto const first = line->find(' ');
    auto const second = line->find(' ', first + 1);
    reply answer{.ok = line->substr(first + 1, second - first - 1) == "ok", .value = line->substr(second + 1)};
    if (!answer.ok) {
        auto const third = line->find(' ', second + 1);
        answer.exception_class = line->substr(second + 1, third - second - 1);
        answer.value = percent_decoded(line->substr(third + 1));
    }
    replies_[std::stoi(*line)] = std::move(answer);
    return true;
}

std::string percent_encoded(std::string_view text) {
    std::string result;
    for (char const letter : text) {
        bool const plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
                           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
        if (plain) {
            result += letter;
            continue;
        }
        auto const byte = static_cast<unsigned char>(letter);
        result += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return result;
}

std::string percent_decoded(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%' && at + 2 < text.size()) {
            unsigned char byte = 0;
            std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16);
            result += static_cast<char>(byte);
            at += 2;
        } else {
            result += text[at] == '+' ? ' ' : text[at];
        }
    }
    return result;
}

} // namespace redlatch::test
