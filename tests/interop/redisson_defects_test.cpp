#include "redisson_defects_test.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace redlatch::test {

namespace {

/// Its address, as java_peer takes it.
std::string settings_file(std::filesystem::path const& folder, std::string const& text) {
    auto const file = folder / "redisson.yaml";
    std::ofstream(file) << text;
    return "file:" + file.string();
}

} // namespace

java_with_settings::java_with_settings(std::string const& yaml, std::chrono::milliseconds watchdog_timeout)
    : java_peer(built_peer().folder, settings_file(path(), yaml), watchdog_timeout) {}

long long redisson_defects_test::server_milliseconds() {
    auto const now = server().run("TIME");
    return std::stoll(now.items.at(0).text) * 1000 + std::stoll(now.items.at(1).text) / 1000;
}

std::vector<std::string> redisson_defects_test::writes_paused::held_up() const {
    std::vector<std::string> result;
    std::istringstream lines(where_.run("CLIENT", "LIST").text);
    for (std::string line; std::getline(lines, line);)
        if (line.find(" flags=b ") != std::string::npos) result.push_back(line);
    return result;
}

bool redisson_defects_test::writes_paused::hold_up(int clients) const {
    return wait_until([&] { return std::ssize(held_up()) >= clients; });
}

bool redisson_defects_test::writes_paused::hold_up_more() const {
    auto const has_more = [](std::string const& line) { return line.find(" qbuf=0 ") == std::string::npos; };
    return wait_until([&] { return std::ranges::any_of(held_up(), has_more); });
}

void redisson_defects_test::writes_paused::break_connections() const {
    for (auto const& line : held_up())
        where_.run("CLIENT", "KILL", "ID", line.substr(3, line.find(' ') - 3)); // id=7 ...
}

} // namespace redlatch::test
