#include "sim/world/fiber.hpp"

#include "base/assert.hpp"

#include <cstring>
#include <cxxabi.h>
#include <unordered_map>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace redlatch::sim {
namespace {

constexpr std::size_t stack_size = 256 * 1024;

fiber* running = nullptr;

std::vector<std::unique_ptr<char[]>>& idle_stacks() {
    static std::vector<std::unique_ptr<char[]>> stacks;
    return stacks;
}

std::unique_ptr<char[]> take_stack() {
    auto& idle = idle_stacks();
    if (idle.empty()) return std::make_unique_for_overwrite<char[]>(stack_size);
    auto stack = std::move(idle.back());
    idle.pop_back();
    return stack;
}

/// Parkers are never destroyed (io/parker.hpp): a wake may come after its fiber has ended.
struct all_parkers {
    std::vector<io::parker*> idle;
    std::unordered_map<io::parker const*, fiber*> users;
};

all_parkers& parkers() {
    static auto* const all = new all_parkers;
    return *all;
}

io::parker* take_parker() {
    auto& idle = parkers().idle;
    if (idle.empty()) return new io::parker;
    auto* const one = idle.back();
    idle.pop_back();
    return one;
}

void swap_exceptions(void* kept[2]) {
    void* mine[2];
    auto* const globals = abi::__cxa_get_globals();
    std::memcpy(mine, globals, sizeof mine);
    std::memcpy(static_cast<void*>(globals), kept, sizeof mine);
    std::memcpy(kept, mine, sizeof mine);
}

#if defined(__SANITIZE_ADDRESS__)
void* scheduler_fake_stack = nullptr;
void const* scheduler_stack = nullptr;
std::size_t scheduler_stack_size = 0;
#endif

} // namespace

fiber::fiber(process& of, std::function<void()> body)
    : owner_(of), body_(std::move(body)), parker_(take_parker()), stack_(take_stack()) {
    parkers().users[parker_] = this;
    ::getcontext(&here_);
    here_.uc_stack.ss_sp = stack_.get();
    here_.uc_stack.ss_size = stack_size;
    here_.uc_link = nullptr;
    auto const self = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&here_, reinterpret_cast<void (*)()>(&fiber::run), 2, static_cast<unsigned>(self >> 32U),
                  static_cast<unsigned>(self));
}

fiber::~fiber() {
    if (!done_) { // after a broken promise: what is on its stack stays there
        static_cast<void>(stack_.release());
        parkers().users.erase(parker_);
        return;
    }
    parkers().users.erase(parker_);
    parkers().idle.push_back(parker_);
    idle_stacks().push_back(std::move(stack_));
}

std::uint64_t fiber::next_sleep() noexcept {
    static std::uint64_t last = 0;
    return ++last;
}

fiber* fiber::current() noexcept {
    return running;
}

fiber* fiber::of(io::parker const* which) noexcept {
    auto const found = parkers().users.find(which);
    return found == parkers().users.end() ? nullptr : found->second;
}

void fiber::run(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<fiber*>((static_cast<std::uintptr_t>(high) << 32U) | low);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_size);
#endif
    self->body_();
    self->body_ = nullptr;
    self->end_thread();
    self->done_ = true;
    self->give_way();
}

void fiber::end_thread() {
    auto const listeners = std::exchange(exit_listeners, {});
    for (auto const& one : listeners)
        if (auto const alive = one.lock()) alive->on_thread_exit(thread_number);
    thread_number = 0;
}

void fiber::resume() {
    REDLATCH_ASSERT(running == nullptr && !done_);
    running = this;
    swap_exceptions(exceptions_);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&scheduler_fake_stack, stack_.get(), stack_size);
#endif
    ::swapcontext(&back_, &here_);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
#endif
    swap_exceptions(exceptions_);
    running = nullptr;
}

void fiber::give_way() {
    REDLATCH_ASSERT(running == this);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(done_ ? nullptr : &fake_stack_, scheduler_stack, scheduler_stack_size);
#endif
    ::swapcontext(&here_, &back_);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake_stack_, &scheduler_stack, &scheduler_stack_size);
#endif
}

} // namespace redlatch::sim
