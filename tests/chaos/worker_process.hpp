// A worker, as the runner sees it.
#pragma once

#include "history.hpp"
#include "support/child_process.hpp"
#include "worker_settings.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace redlatch::chaos {

enum class library { redlatch, redisson };

/// The programs that a run needs.
struct programs {
    std::string worker{};
    std::string java_classes{}; ///< the folder of the built Java peer; empty: no Redisson
};

class worker_process {
public:
    worker_process(library of, programs const& from, worker_settings settings,
                   std::vector<std::string> environment = {});

    std::string const& name() const noexcept { return settings_.name; }
    worker_settings const& settings() const noexcept { return settings_; }

    void signal(int number) const { process_.signal(number); }
    /// SIGSTOP, and the process has stopped.
    void stop() const;
    void kill();
    bool killed() const noexcept { return killed_; }
    bool ended() { return process_.ended(); }

    /// The long first sections end.
    void release() { process_.write("release\n"); }
    /// The process is to end; true: it has, within the limit, and with status 0.
    void begin_end() { process_.close_input(); }
    bool wait_end(milliseconds limit);
    std::string error_text() { return process_.error_text(); }

    /// What it has written so far.
    history const& so_far();
    bool each_thread(kind has_done, std::int64_t since = 0);

private:
    worker_settings settings_;
    test::child_process process_;
    bool killed_ = false;
    std::ifstream file_{};
    std::string begun_line_{};
    history events_{};
};

} // namespace redlatch::chaos
