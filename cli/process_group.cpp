#include "process_group.hpp"

#include "descriptor.hpp"

#include <charconv>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/prctl.h>
#include <sys/wait.h>

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
    for (int skip = 0; skip < 2; ++skip) {
        auto const blank = rest.find(' ');
        if (blank == std::string_view::npos) return {};
        rest.remove_prefix(blank + 1);
    }
    std::from_chars(rest.data(), rest.data() + rest.size(), result.group);
    return result;
}

bool others_live_in_group(pid_t leader) noexcept {
    struct closer {
        void operator()(DIR* folder) const noexcept { ::closedir(folder); }
    };
    std::unique_ptr<DIR, closer> const processes(::opendir("/proc"));
    if (!processes) return true;
    while (dirent const* const entry = ::readdir(processes.get())) {
        std::string_view const name = entry->d_name;
        pid_t pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{} || pid == leader) continue;
        char path[32];
        std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
        descriptor const file(::open(path, O_RDONLY | O_CLOEXEC));
        char text[512]; // the name has at most 64 bytes, and what matters comes right after it
        auto const got = file ? ::read(file.get(), text, sizeof text) : -1;
        if (got <= 0) continue;
        auto const process = read_process_state({text, static_cast<std::size_t>(got)});
        if (process.group != leader) continue;
        if (process.state != 'Z' && process.state != 'X') return true;
        ::waitpid(pid, nullptr, WNOHANG); // if it is ours
    }
    return false;
}

} // namespace redlatch::cli
