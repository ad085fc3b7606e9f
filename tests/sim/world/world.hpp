// The simulated universe: one queue of events ordered by time, processes, and chance from one seed.
//
// Everything runs on one thread, so a seed gives the same run every time. What the library asks of its surroundings (clock,
// threads, sockets, random numbers) is answered from here: see the files seam_*.cpp, which replace the shipped reactor,
// notifier, parker, clock and seed at link time and catch the socket calls. Everything else is the shipped code, unchanged.
#pragma once

#include "base/random.hpp"
#include "sim/world/fiber.hpp"
#include "sim/world/process.hpp"
#include "sim/world/time.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace redlatch::sim {

class world {
public:
    explicit world(std::uint64_t seed);
    ~world();
    world(world const&) = delete;
    world& operator=(world const&) = delete;

    /// The one in which this thread's code runs.
    static world& the() noexcept;
    static bool exists() noexcept;

    moment now() const noexcept { return now_; }
    base::random_source& chance() noexcept { return chance_; }
    /// Between the two, both included.
    moment between(moment least, moment most);

    process& add_process(std::string name);
    std::vector<std::unique_ptr<process>> const& processes() const noexcept { return processes_; }

    /// Whose code runs now, or null: nature.
    process* current() const noexcept { return current_; }
    /// Which of its own threads, if it is one of the library's.
    void const* context() const noexcept { return context_; }
    /// Runs `what` as code of this process, at once.
    void as(process* who, void const* context, std::function<void()> const& what);

    /// An event of nature.
    std::uint64_t at(moment when, std::function<void()> what) { return push(when, nullptr, std::move(what)); }
    /// Something that this process does; later if it is stopped then.
    std::uint64_t at(moment when, process& who, std::function<void()> what) {
        return push(when, &who, std::move(what));
    }
    /// It would do nothing any more: a search need not order it.
    void drop(std::uint64_t number);
    /// How long it takes until a process that was woken runs.
    moment scheduling_delay();
    struct wake_ups {
        moment least{1'000};
        moment most{40'000};
        int stalls = 64; ///< one in so many takes 1 to 5 ms; 0: none
    };
    wake_ups woken_within{};
    moment woken_after{0}; ///< the same in a search over all orders

    fiber& spawn(process& of, std::function<void()> body);
    /// The running fiber sleeps until wake() or `until`.
    void rest_until(moment until);
    void rest_for(moment how_long) { rest_until(now_ + how_long); }
    void wake(fiber& who);

    void stop(process& which) { which.stopped = true; }
    void go_on(process& which);

    /// Bytes that arrive; those of one channel in their order. `heard`: of the process that they reach.
    void carry(moment when, std::uint64_t channel, std::uint64_t bytes, std::uint64_t* heard,
               std::function<void()> what);

    /// False: the queue is empty, or its next event is after `end`.
    bool step(moment end = never);

    // For a search over all orders (tests/sim/scope): nothing is left to chance, what is local happens at once, and
    // `order` says whether bytes arrive or time passes.
    struct delivery {
        std::uint64_t channel;
        std::uint64_t number; ///< in the order of sending
        std::uint64_t bytes;  ///< a digest
    };
    struct pending {
        std::vector<delivery> heads{};  ///< of each channel the first, in the order of sending
        std::vector<delivery> behind{}; ///< all others
        std::vector<moment> times{};    ///< when something is due, each once, rising
        std::vector<moment> timers{};   ///< those of them at which it is a process's
    };
    struct decision {
        enum class kind : std::uint8_t { deliver, pass, ask_again };
        kind what = kind::deliver;
        std::uint64_t number = 0; ///< which delivery
        moment until{0};          ///< time passes, with all that comes to be due
    };
    std::function<decision(pending const&)> order{};
    bool by_chance() const noexcept { return !order; }
    static std::uint64_t mixed(std::uint64_t into, std::uint64_t what) noexcept {
        into = (into ^ what) * 0x9e3779b97f4a7c15U;
        return into ^ (into >> 29U);
    }

    /// The usual course of a search brings what goes this way after all else that is under way.
    void put_last(std::uint64_t channel) { last_channels_.insert(channel); }

    std::uint64_t events() const noexcept { return executed_; }
    std::size_t fibers() const noexcept { return fibers_.size(); }
    /// Mixes something observable into a digest: equal seeds must give equal digests.
    void observe(std::uint64_t what) noexcept { digest_ = (digest_ ^ what) * 0x9e3779b97f4a7c15U + (digest_ >> 29U); }
    std::uint64_t digest() const noexcept { return digest_; }

private:
    struct event {
        moment when{0};
        std::uint64_t number = 0;
        process* who = nullptr;
        std::function<void()> what{};
        bool timed = false; ///< not at once
        std::uint64_t channel = 0;
        std::uint64_t bytes = 0;
        std::uint64_t* heard = nullptr;
    };
    struct later {
        bool operator()(event const& left, event const& right) const noexcept {
            return left.when != right.when ? left.when > right.when : left.number > right.number;
        }
    };
    std::uint64_t push(moment when, process* who, std::function<void()> what);
    void add(event one);
    bool take_in_order(event& next);
    void execute(event next);
    void resume(fiber& who, std::uint64_t sleep);

    moment now_{0};
    base::random_source chance_;
    std::vector<event> queue_;
    std::uint64_t numbered_ = 0;
    std::uint64_t executed_ = 0;
    std::uint64_t digest_ = 0;
    moment passes_until_{0};
    std::set<std::uint64_t> last_channels_;
    std::vector<std::unique_ptr<process>> processes_;
    std::vector<std::unique_ptr<fiber>> fibers_;
    process* current_ = nullptr;
    void const* context_ = nullptr;
};

} // namespace redlatch::sim
