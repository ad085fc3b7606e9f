#include "process_group.hpp"

#include "descriptor.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace redlatch::cli {

void adopt_orphans() noexcept {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

process_state read_process_state(std::string_view line) noexcept {
    auto const name_end = line.rfind(')');
    if (name_end == std::string_view::npos || name_end + 2 >= line.size()) return {};
    process_state result;
    result.state = line[name_end + 2];
    auto rest = line.substr(name_end + 3); // " parent group session ..."
    for (pid_t* const number : {&result.parent, &result.group}) {
        auto const blank = rest.find(' ');
        if (blank == std::string_view::npos) return {};
        rest.remove_prefix(blank + 1);
        std::from_chars(rest.data(), rest.data() + rest.size(), *number);
    }
    return result;
}

namespace {

struct closer {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

/// None: it is not there, or /proc is not.
std::optional<process_state> state_of(pid_t pid) noexcept {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
    descriptor const file(::open(path, O_RDONLY | O_CLOEXEC));
    char text[512]; // the name has at most 64 bytes, and what matters comes right after it
    auto const got = file ? ::read(file.get(), text, sizeof text) : -1;
    if (got <= 0) return std::nullopt;
    return read_process_state({text, static_cast<std::size_t>(got)});
}

/// Calls look(pid, state) for each process of the group until it says true. False: it never did. None: there is no /proc.
template <class Look> std::optional<bool> any_in_group(pid_t group, Look const& look) noexcept {
    std::unique_ptr<DIR, closer> const processes(::opendir("/proc"));
    if (!processes) return std::nullopt;
    while (dirent const* const entry = ::readdir(processes.get())) {
        std::string_view const name = entry->d_name;
        pid_t pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
        auto const process = state_of(pid);
        if (process && process->group == group && look(pid, process->state)) return true;
    }
    return false;
}

bool is_dead(char state) noexcept {
    return state == 'Z' || state == 'X';
}

} // namespace

bool others_live_in_group(pid_t leader) noexcept {
    auto const found = any_in_group(leader, [leader](pid_t pid, char state) {
        if (pid == leader) return false;
        if (is_dead(state)) ::waitpid(pid, nullptr, WNOHANG); // if it is ours
        return !is_dead(state);
    });
    return found.value_or(true);
}

pid_t out_of_reach_in_group(pid_t leader) noexcept {
    pid_t result = 0;
    auto const found = any_in_group(leader, [&result](pid_t pid, char state) {
        if (is_dead(state) || ::kill(pid, 0) == 0 || errno != EPERM) return false;
        result = pid;
        return true;
    });
    if (!found && ::kill(leader, 0) != 0 && errno == EPERM) return leader;
    return result;
}

bool own_group_is_orphaned() noexcept {
    pid_t const group = ::getpgrp();
    pid_t ancestor = ::getppid();
    while (ancestor != 0 && ::getpgid(ancestor) == group) {
        auto const process = state_of(ancestor);
        if (!process) return false;
        ancestor = process->parent;
    }
    return ancestor == 0 || ::getsid(ancestor) != ::getsid(0); // 0: it is outside of our container, or there is none
}

} // namespace redlatch::cli
