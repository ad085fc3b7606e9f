#include "scenarios/mix_processes.hpp"

#include "measure/processes.hpp"
#include "mix/worker.hpp"
#include "scenarios/contenders.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace redlatch::bench {

namespace {

void play_ours(config const& settings, mix_shape const& shape, mix_board const& board, std::size_t first) {
    client const locks(settings);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < shape.threads; ++thread)
        threads.emplace_back([&, place = first + static_cast<std::size_t>(thread)] {
            try {
                std::vector<party> mine;
                for (int lock = 0; lock < shape.locks; ++lock)
                    mine.push_back(ours(locks, "bench:mix:" + std::to_string(lock), false));
                work_in_mix(shape, mine, board, place);
            } catch (std::exception const& problem) {
                // The others would wait for it.
                std::fprintf(stderr, "redlatch_bench: %s\n", problem.what());
                ::_exit(1);
            }
        });
}

class forked final : public mix_process {
public:
    forked(config const& settings, mix_shape const& shape, mix_board const& board, std::size_t first)
        : child_([&] { play_ours(settings, shape, board, first); }) {}

    pid_t pid() const override { return child_.pid(); }
    void must_run() override { child_.must_run(); }
    void finish() override { child_.must_succeed(); }

private:
    child child_;
};

class of_a_peer final : public mix_process {
public:
    explicit of_a_peer(std::shared_ptr<peer_process> process) : process_(std::move(process)) {}

    pid_t pid() const override { return process_->pid(); }
    void must_run() override { process_->must_run(); }
    void finish() override {
        process_->await_ready();
        // The board has told it when to begin and when to end.
        process_->begin(std::chrono::milliseconds(0), std::chrono::milliseconds(0));
        process_->await_begun();
        process_->result();
        process_->sleep();
    }

private:
    std::shared_ptr<peer_process> process_;
};

} // namespace

std::unique_ptr<mix_process> our_process(config const& settings, mix_shape const& shape, mix_board const& board,
                                         std::size_t first_worker) {
    return std::make_unique<forked>(settings, shape, board, first_worker);
}

std::unique_ptr<mix_process> peer_process_in(std::shared_ptr<peer_process> process, mix_shape const& shape,
                                             mix_board const& board, std::size_t first_worker, int clients) {
    process->prepare_anew("mix", clients * shape.threads,
                          {"clients=" + std::to_string(clients), "board=" + board.path(),
                           "first=" + std::to_string(first_worker), "locks=" + std::to_string(shape.locks),
                           "zipf=" + std::to_string(shape.zipf), "hold=" + std::to_string(shape.hold.count()),
                           "pause=" + std::to_string(shape.pause.count())});
    return std::make_unique<of_a_peer>(std::move(process));
}

} // namespace redlatch::bench
