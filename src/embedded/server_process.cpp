#include "embedded/server_process.hpp"

#include <redlatch/error.hpp>

#include <charconv>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace redlatch::embedded {

namespace {

std::string proc_file(::pid_t process, char const* name) {
    return "/proc/" + std::to_string(process) + "/" + name;
}

/// As much of it as can be read: a process may end between the opening of its file in /proc and the reading.
std::string contents(std::filesystem::path const& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf(); // unlike istreambuf_iterator, throws nothing
    return text.str();
}

/// In the file that the server, and before it its starter, writes.
std::optional<::pid_t> recorded_id(std::filesystem::path const& folder) {
    auto const text = contents(folder / "redis.pid");
    ::pid_t process = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), process);
    if (problem != std::errc{} || process <= 1) return std::nullopt;
    return process;
}

/// A recycled process id is not taken for the server's: it would have to work in the folder, too.
bool works_in(::pid_t process, std::filesystem::path const& folder) {
    struct stat its {};
    struct stat ours {};
    return ::stat(proc_file(process, "cwd").c_str(), &its) == 0 && ::stat(folder.c_str(), &ours) == 0
           && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/// The path as the kernel shows the working directory of a process from under which it was removed.
std::string removed(std::filesystem::path const& folder) {
    std::error_code problem;
    auto const path = std::filesystem::canonical(folder, problem);
    return (problem ? folder : path).string() + " (deleted)";
}

bool belongs_to_us(::pid_t process) {
    struct stat its {};
    return ::stat(proc_file(process, "").c_str(), &its) == 0 && its.st_uid == ::geteuid();
}

bool is_server_program(::pid_t process) {
    auto const name = contents(proc_file(process, "comm"));
    return name.starts_with("redis-server") || name.starts_with("valkey-server");
}

} // namespace

bool is_alive(::pid_t process) {
    // "1234 (name) S 1 …"; the name may contain anything. What follows it are the fields from the third on.
    auto const text = contents(proc_file(process, "stat"));
    auto const end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos) return false;
    std::istringstream fields(text.substr(end_of_name + 1));
    constexpr int from_state_to_threads = 16;
    std::string state;
    std::string skipped;
    int threads = 0;
    fields >> state;
    for (int count = 0; count < from_state_to_threads; ++count) fields >> skipped;
    fields >> threads;
    // The first thread may be a zombie while others still close the sockets.
    return (state != "Z" && state != "X") || threads > 1;
}

std::optional<::pid_t> find_server_process(std::filesystem::path const& folder) {
    if (auto const process = recorded_id(folder); process && works_in(*process, folder) && is_alive(*process))
        return process;
    auto const former = removed(folder);
    std::error_code problem;
    std::filesystem::directory_iterator entries("/proc", problem);
    for (; !problem && entries != std::filesystem::directory_iterator(); entries.increment(problem)) {
        auto const number = entries->path().filename().string();
        ::pid_t process = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), process).ec != std::errc{}) continue;
        std::error_code hidden; // those of other users are
        auto const place = std::filesystem::read_symlink(proc_file(process, "cwd"), hidden);
        if (hidden || (place != former && !works_in(process, folder))) continue;
        if (is_server_program(process) && belongs_to_us(process) && is_alive(process)) return process;
    }
    return std::nullopt;
}

bool wait_for_end(::pid_t process, lease_clock::time_point deadline) {
    while (is_alive(process)) {
        if (lease_clock::now() >= deadline) return false;
        // sleeps because a process that is not our child gives no event to wait for on every kernel
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

std::string last_words(std::filesystem::path const& folder) {
    constexpr std::size_t most = 300;
    auto text = contents(folder / "redis.log");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    auto const line = text.substr(text.rfind('\n') + 1); // npos + 1 is 0
    return line.substr(0, most);
}

} // namespace redlatch::embedded
