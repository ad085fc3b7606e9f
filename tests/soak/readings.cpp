#include "readings.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace redlatch::soak {

namespace {

long number_after(std::istream& lines, std::string const& key) {
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key)) return std::stol(line.substr(key.size()));
    return -1;
}

long entries(std::filesystem::path const& folder) {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

} // namespace

std::optional<process_reading> read_process(pid_t pid, std::string_view said) {
    std::filesystem::path const folder = "/proc/" + std::to_string(pid);
    process_reading now;
    std::istringstream words{std::string(said)};
    std::string word;
    words >> word >> now.holds >> now.waiters >> now.subscriptions >> now.unresolved >> now.renewals >> now.reconnects;
    if (!words || word != "resting") return std::nullopt;
    std::ifstream status(folder / "status");
    now.resident_kib = number_after(status, "VmRSS:");
    now.descriptors = entries(folder / "fd");
    now.threads = entries(folder / "task");
    return now;
}

server_reading read_server(test::redis_server const& server) {
    auto admin = server.admin();
    std::istringstream info(admin.command("INFO", "clients").text);
    return {.keys = static_cast<long>(admin.command("DBSIZE").integer),
            .channels = static_cast<long>(admin.command("PUBSUB", "CHANNELS").items.size()),
            .clients = number_after(info, "connected_clients:") - 1};
}

} // namespace redlatch::soak
