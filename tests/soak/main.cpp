// Mixed use under faults for as long as one likes; at the end everything is back where it was.
#include "faults.hpp"
#include "report.hpp"
#include "stall_watch.hpp"
#include "support/child_process.hpp"
#include "support/wait_until.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace redlatch::soak {

namespace {

using namespace std::chrono_literals;

struct soak_options {
    double minutes = 5;
    int threads = 32;
    int processes = 4;
    unsigned seed = 1;
};

constexpr char const* help =
    R"(redlatch_soak: mixed use of locks under faults; at the end everything is back where it was

  --minutes N      how long (5)
  --threads T      in each process (32)
  --processes P    (4, at most 16)
  --seed S         of the faults and of what the threads do (1)
)";

bool parse(int count, char** arguments, soak_options& wanted) {
    std::map<std::string, std::function<void(std::string const&)>> const known{
        {"--minutes", [&](std::string const& text) { wanted.minutes = std::stod(text); }},
        {"--threads", [&](std::string const& text) { wanted.threads = std::stoi(text); }},
        {"--processes", [&](std::string const& text) { wanted.processes = std::stoi(text); }},
        {"--seed", [&](std::string const& text) { wanted.seed = static_cast<unsigned>(std::stoul(text)); }},
    };
    try {
        for (int at = 1; at < count; at += 2) known.at(arguments[at])(at + 1 < count ? arguments[at + 1] : "");
    } catch (std::exception const&) {
        return false;
    }
    return wanted.minutes > 0 && wanted.threads > 0 && wanted.processes > 0
           && wanted.processes <= static_cast<int>(most_processes);
}

class soak {
public:
    explicit soak(soak_options wanted)
        : wanted_(wanted), server_({.over = test::server_options::transport::tcp,
                                    .persistent = true,
                                    .arguments = {"--appendfsync", "no", "--auto-aof-rewrite-percentage", "0"}}),
          board_(folder_.path() / "board"), faults_(server_, wanted.seed) {
        auto const program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "soak_worker";
        for (int i = 0; i < wanted.processes; ++i)
            workers_.push_back(std::make_unique<test::child_process>(
                test::child_options{.arguments = {program, server_.uri(), folder_.path() / "board", std::to_string(i),
                                                  std::to_string(wanted.threads),
                                                  std::to_string(wanted.seed * 100 + static_cast<unsigned>(i))}}));
    }

    int run() {
        std::printf("%d processes with %d threads each, %.1f minutes, seed %u\n", wanted_.processes, wanted_.threads,
                    wanted_.minutes, wanted_.seed);
        auto const before = warm_up();
        work([this] {
            auto const end =
                std::chrono::steady_clock::now() + std::chrono::duration<double, std::ratio<60>>(wanted_.minutes);
            while (std::chrono::steady_clock::now() < end) {
                faults_.next();
                progress();
            }
        });
        auto const after = rest();
        auto all = totals_of(*board_);
        all.stall_us = stalls_.longest_us();
        std::printf("\n%s\n%s\n", table(before, after).c_str(), table(all, board_->violations, faults_).c_str());
        auto const wrong = complaints(before, after, all, board_->violations);
        for (auto const& each : wrong) std::printf("wrong: %s\n", each.c_str());
        if (wrong.empty()) std::printf("all is back where it was\n");
        return wrong.empty() ? 0 : 1;
    }

private:
    /// Each fault once, so that "before" has seen what buffers and threads they need; then on until each process has all the
    /// connections that a client ever has: they are made when they are needed, and with them descriptors.
    resting warm_up() {
        work([this] {
            for (auto const each : all_faults) faults_.make(each);
        });
        auto result = rest();
        for (int more = 0; result.server.clients < all_connections(); ++more) {
            if (more == most_warm_ups) throw std::runtime_error("some process does not use all its connections");
            work(
                [this] { test::wait_until([this] { return read_server(server_).clients >= all_connections(); }, 5s); });
            result = rest();
        }
        return result;
    }
    long all_connections() const { return 3L * wanted_.processes; }
    static constexpr int most_warm_ups = 10;

    void work(std::function<void()> const& meanwhile) {
        for (auto const& each : workers_) each->write("work\n");
        meanwhile();
    }

    resting rest() {
        resting result;
        for (auto const& each : workers_) each->write("rest\n");
        for (auto const& each : workers_) {
            auto const said = each->read_line(3min);
            auto const reading = said ? read_process(each->pid(), *said) : std::nullopt;
            if (!reading) throw std::runtime_error("a worker does not come to rest: " + each->error_text());
            result.processes.push_back(*reading);
        }
        // Leases of those that could not be released in time, and subscriptions that linger.
        test::wait_until([&] {
            result.server = read_server(server_);
            return result.server.keys == 0 && result.server.channels == 0;
        });
        return result;
    }

    void progress() {
        for (auto const& each : workers_)
            if (each->ended()) throw std::runtime_error("a worker has died: " + each->error_text());
        if (board_->violations > 0)
            std::printf("two at once: %llu\n", static_cast<unsigned long long>(board_->violations));
        std::fflush(stdout);
    }

    soak_options const wanted_;
    chaos::stall_watch const stalls_{};
    test::temporary_folder folder_;
    test::redis_server server_;
    mapped_board board_;
    injector faults_;
    std::vector<std::unique_ptr<test::child_process>> workers_;
};

} // namespace

} // namespace redlatch::soak

int main(int count, char** arguments) {
    redlatch::soak::soak_options wanted;
    if (!redlatch::soak::parse(count, arguments, wanted)) {
        std::fputs(redlatch::soak::help, stderr);
        return 64;
    }
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return redlatch::soak::soak(wanted).run();
    } catch (std::exception const& problem) {
        std::fprintf(stderr, "redlatch_soak: %s\n", problem.what());
        return 70;
    }
}
