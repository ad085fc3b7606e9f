#include "measure/command_origin.hpp"

#include "floor/raw_connection.hpp"

#include <algorithm>
#include <cctype>
#include <thread>

namespace redlatch::bench {

namespace {

constexpr std::string_view end_mark = "redlatch-bench-end-of-observation";

} // namespace

void command_origin::add(std::string_view line) {
    auto const open = line.find(" [");
    auto const close = line.find("] \"", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return;
    auto const who = line.substr(open, close - open);
    auto const rest = line.substr(close + 3);
    std::string name(rest.substr(0, rest.find('"')));
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    auto& entry = seen_[name];
    // Clients are addresses, on both kinds of socket with a colon.
    (who.find(':') == std::string_view::npos ? entry.scripts : entry.clients) += 1;
}

double command_origin::sent_by_clients(std::map<std::string, double> const& calls) const {
    double sum = 0;
    for (auto const& [name, count] : calls) {
        // INFO names subcommands, `client|list`; MONITOR the command.
        auto const found = seen_.find(name.substr(0, name.find('|')));
        sum += found == seen_.end() ? count
                                    : count * found->second.clients / (found->second.clients + found->second.scripts);
    }
    return sum;
}

command_origin observe(address const& where, std::function<void()> const& task) {
    command_origin result;
    raw_connection watch(where);
    watch.ask(raw_command({"MONITOR"}));
    std::jthread reader([&] {
        for (;;) {
            auto const line = watch.receive().text;
            if (line.find(end_mark) != std::string::npos) return;
            result.add(line);
        }
    });
    auto const finish = [&] { raw_connection(where).ask(raw_command({"ECHO", std::string(end_mark)})); };
    try {
        task();
    } catch (...) {
        finish();
        throw;
    }
    finish();
    reader.join();
    return result;
}

} // namespace redlatch::bench
