// What a worker process is told, as NAME=VALUE arguments; chaos_worker and the Java peer's Worker read the same.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace redlatch::chaos {

using std::chrono::milliseconds;

struct worker_settings {
    std::string name = "worker"; ///< of the process, in the history
    std::string uri{};           ///< several with blanks between: a red lock of them, unless `mode` says otherwise
    std::string mode{}; ///< "replicated", "master_slave": what the addresses are to each other, as in server_mode
    std::string lock = "chaos";
    std::string history_file{};
    std::string counter_file{}; ///< 8 bytes, shared by all workers: the last token
    int threads = 1;
    int replicas = 0;        ///< that have to confirm a lock, as in replica_policy; Redisson has its default instead
    milliseconds first{0};   ///< how long each thread's first section lasts, unless "release" comes or the hold is lost
    milliseconds section{3}; ///< and the later ones
    milliseconds pause{2};   ///< between two of them
    milliseconds look{1};    ///< how often it is looked at within one
    milliseconds wait{0};    ///< the deadline of an acquisition; zero: none
    milliseconds lease{0};   ///< fixed; zero: renewed
    milliseconds watchdog{3000};
    milliseconds timeout{500};
    milliseconds ping{1000};
    milliseconds scan{1000}; ///< how often several servers are asked for their arrangement
    milliseconds margin{0};  ///< of validity; zero: the library's

    std::vector<std::string> to_arguments() const;
    /// Throws std::invalid_argument with the argument that it does not know.
    static worker_settings from_arguments(std::vector<std::string> const& arguments);
};

} // namespace redlatch::chaos
