// The tool as a real process, beside a server of the test's own.
#pragma once

#include "support/child_process.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_server.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace redlatch::test {

using words = std::vector<std::string>;

/// Where the program is.
std::string const& the_tool();

/// How it ended: its exit status, or 1000 + the signal that ended it.
int outcome_of(int wait_status);
constexpr int died_of(int signal) {
    return 1000 + signal;
}

struct outcome {
    int status = -1;
    std::string output{};
    std::string errors{};
};

/// A process that is not our child: watched through a pidfd.
class stranger {
public:
    explicit stranger(pid_t pid);
    /// It has ended, reaped or not.
    bool ends(std::chrono::milliseconds within = patience) const;
    bool runs() const { return !ends(std::chrono::milliseconds(0)); }
    void kill() const;
    /// 'T' stopped, 'S' sleeping, 'Z' ended, '?' gone ...
    char state() const;
    pid_t parent() const; ///< 0: gone
    int threads() const;

private:
    std::string status() const; ///< from its state on, as in /proc/PID/stat; empty: gone

    pid_t pid_;
    descriptor descriptor_;
};

class tool_test : public testing::Test {
protected:
    tool_test();
    ~tool_test() override;

    /// What every test ends with: nothing is left in Redis. Tests that leave something on purpose wait for its end.
    void TearDown() override;

    std::unique_ptr<child_process> start(words arguments, words environment = {}) const;
    outcome run(words arguments, words environment = {}) const;
    /// Closes its stdin and waits for the end.
    static outcome finish(child_process& tool);

    /// A script under the lock: `run NAME flags -- sh -c SCRIPT`.
    static words script(std::string const& text, words flags = {}, std::string const& name = "job",
                        std::string const& command = "run");
    /// One that says its pid, and ends at once with TERM; 33 shows that it was TERM.
    static constexpr char const* obedient = "trap 'echo told; exit 33' TERM; echo $$; while :; do sleep 0.01; done";

    bool is_held(std::string const& name = "job") const { return !holders(server, name).empty(); }
    bool becomes_held(std::string const& name = "job") const {
        return wait_until([&] { return is_held(name); });
    }
    bool becomes_free(std::string const& name = "job") const {
        return wait_until([&] { return !is_held(name); });
    }
    /// The key's end as the server sees it, in ms since the epoch.
    std::int64_t expiry(std::string const& name = "job") const { return server.run("PEXPIRETIME", name).integer; }
    /// Somebody waits for the lock.
    bool becomes_waited_for(std::string const& name = "job") const;

    redis_server server;
    temporary_folder folder;
};

/// Milliseconds since the epoch.
std::int64_t wall_clock();

/// When the file was last written, by the same clock: a command that writes it again and again lived until then, however late
/// the test comes to see its end.
std::int64_t written_at(std::filesystem::path const& file);

/// A line that must be there.
std::string line_of(child_process& process);

} // namespace redlatch::test
