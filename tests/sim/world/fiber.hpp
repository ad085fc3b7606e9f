// A simulated thread: a stack of its own that gives way only where it would sleep.
#pragma once

#include "io/parker.hpp"
#include "io/thread_identity.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace redlatch::sim {

struct process;

/// All fibers run on one operating-system thread, one at a time.
class fiber {
public:
    fiber(process& of, std::function<void()> body);
    ~fiber(); ///< of one that never came to its end the memory is lost
    fiber(fiber const&) = delete;
    fiber& operator=(fiber const&) = delete;

    static fiber* current() noexcept;

    /// Runs it until it sleeps or ends. From outside of all fibers.
    void resume();
    /// Goes back to whoever resumed it.
    void give_way();

    bool done() const noexcept { return done_; }
    process& owner() const noexcept { return owner_; }
    io::parker& its_parker() noexcept { return *parker_; }
    static fiber* of(io::parker const* which) noexcept;

    /// Another one for each sleep of each fiber: a wake that was meant for an earlier one is void.
    std::uint64_t sleep = next_sleep();
    static std::uint64_t next_sleep() noexcept;

    // As io/thread_identity.hpp has it for a thread.
    std::uint64_t thread_number = 0;
    std::vector<std::weak_ptr<io::thread_exit_listener>> exit_listeners{};
    /// Its thread ends; what the fiber does from now on another one does.
    void end_thread();

    std::int64_t requests_until_refusal = -1; ///< for memory: see shortage.hpp
    bool is_refused_memory() noexcept { return requests_until_refusal >= 0 && requests_until_refusal-- == 0; }

private:
    static void run(unsigned high, unsigned low);

    process& owner_;
    std::function<void()> body_;
    io::parker* parker_;
    std::unique_ptr<char[]> stack_;
    ucontext_t here_{};
    ucontext_t back_{};
    void* exceptions_[2] = {nullptr, nullptr};    ///< what the C++ runtime keeps for a thread
    [[maybe_unused]] void* fake_stack_ = nullptr; ///< of the address sanitizer
    bool done_ = false;
};

} // namespace redlatch::sim
