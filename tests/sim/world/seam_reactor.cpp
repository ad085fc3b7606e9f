// The shipped reactor's promises, kept by the event queue of the simulated world: linked instead of src/io/reactor.cpp.
#include "base/assert.hpp"
#include "io/reactor.hpp"
#include "sim/world/network.hpp"
#include "sim/world/seams.hpp"
#include "sim/world/shortage.hpp"
#include "sim/world/world.hpp"

#include <exception>
#include <utility>

namespace redlatch::sim {
namespace {

/// What belongs to one reactor; events hold it, and find it dead when the reactor is gone.
struct loop_state {
    process* owner = nullptr;
    bool has_thread = false;
    std::vector<std::function<void()>> until_it_has_one{}; ///< what has come to be due
    bool stopping = false;
    bool alive = true;
    bool scheduled = false;
    std::vector<io::reactor::task> posted{};
    std::unordered_map<io::reactor::timer, std::pair<io::reactor::task, std::uint64_t>> timers{}; ///< and their events
    std::unordered_map<std::uint64_t, std::shared_ptr<io::event_target>> targets{};
    std::uint64_t last = 1;
};

std::unordered_map<io::reactor const*, std::shared_ptr<loop_state>>& loops() {
    static std::unordered_map<io::reactor const*, std::shared_ptr<loop_state>> all;
    return all;
}

loop_state& of(io::reactor const* which) {
    return *loops().at(which);
}

void run_posted(io::reactor const* which, loop_state& mine) {
    mine.scheduled = false;
    auto tasks = std::exchange(mine.posted, {});
    ++mine.owner->wakes;
    for (auto& one : tasks) {
        world::the().as(mine.owner, which, one);
        one = nullptr;
    }
}

/// An event of the reactor: at its time, or when there is a thread for it.
void run_on_thread(std::shared_ptr<loop_state> const& mine, std::function<void()> const& what) {
    if (!mine->alive || mine->stopping) return;
    if (mine->has_thread)
        what();
    else
        mine->until_it_has_one.push_back(what);
}

std::uint64_t schedule(moment when, std::shared_ptr<loop_state> const& mine, std::function<void()> what) {
    return world::the().at(when, *mine->owner, [mine, what = std::move(what)] { run_on_thread(mine, what); });
}

moment soon() {
    auto& in = world::the();
    return in.now() + in.scheduling_delay();
}

void schedule_posted(io::reactor const* which, std::shared_ptr<loop_state> const& mine) {
    if (std::exchange(mine->scheduled, true)) return;
    world::the().at(soon(), *mine->owner, [mine, which] {
        if (mine->alive && mine->scheduled) run_posted(which, *mine);
    });
}

} // namespace

void deliver_event(io::reactor& loop, std::uint64_t token, std::uint32_t events) {
    auto const mine = loops().at(&loop);
    schedule(soon(), mine, [mine, which = &loop, token, events] {
        auto const found = mine->targets.find(token);
        if (found == mine->targets.end()) return;
        auto const target = found->second;
        ++mine->owner->wakes;
        world::the().as(mine->owner, which, [&] { target->on_event(events); });
    });
}

} // namespace redlatch::sim

namespace redlatch::io {

using sim::loop_state;
using sim::loops;
using sim::of;
using sim::world;

reactor::reactor(driver who) : driver_(who) {
    sim::memory_of_the_world const own;
    auto mine = std::make_shared<loop_state>();
    mine->owner = world::the().current();
    REDLATCH_ASSERT(mine->owner != nullptr);
    loops()[this] = std::move(mine);
}

reactor::~reactor() {
    stop();
    auto const mine = loops().at(this);
    mine->alive = false;
    loops().erase(this);
    mine->until_it_has_one.clear();
    mine->timers.clear();
    mine->targets.clear();
}

bool reactor::on_thread() const noexcept {
    return world::the().context() == this;
}

void reactor::start() {
    start_thread();
}

void reactor::start_thread() {
    auto const mine = loops().at(this);
    if (mine->has_thread || mine->stopping) return;
    sim::request_thread(*mine->owner);
    sim::memory_of_the_world const own;
    mine->has_thread = true;
    started_.store(true);
    for (auto& each : std::exchange(mine->until_it_has_one, {})) sim::schedule(sim::soon(), mine, std::move(each));
    if (!mine->posted.empty()) sim::schedule_posted(this, mine);
}

bool reactor::try_to_start() noexcept {
    try {
        start_thread();
        return true;
    } catch (std::exception const&) {
        return false;
    }
}

void reactor::start_if_overdue() noexcept {
    if (!of(this).posted.empty()) try_to_start();
}

void reactor::stop() noexcept {
    auto const mine = loops().at(this);
    mine->stopping = true;
    if (on_thread() || !mine->has_thread) return;
    while (!mine->posted.empty()) sim::run_posted(this, *mine);
}

bool reactor::gathers() const noexcept {
    return false; // the world has no turns: each event stands alone
}

void reactor::wait_for_work() const noexcept {}

bool reactor::run_ready() noexcept {
    return false; // no client here is run by a loop of the user's
}

void reactor::enqueue(posted what) {
    auto const mine = loops().at(this);
    if (mine->stopping) return;
    sim::request_memory();
    sim::memory_of_the_world const own;
    if (what.who) what.what = [who = std::move(what.who)] { who->run(); };
    mine->posted.push_back(std::move(what.what));
    if (try_to_start()) sim::schedule_posted(this, mine); // else it waits for the next one that is posted
}

reactor::timer reactor::at(base::instant when, task what) {
    auto const mine = loops().at(this);
    if (mine->stopping) return 0;
    sim::request_memory();
    sim::memory_of_the_world const own;
    auto const id = ++mine->last;
    auto& in = world::the();
    auto const due = mine->owner->reaches(when, in.now());
    auto const event = sim::schedule(due == sim::never ? due : due + in.scheduling_delay(), mine, [mine, this, id] {
        auto const found = mine->timers.find(id);
        if (found == mine->timers.end()) return;
        auto const due_task = std::move(found->second.first);
        mine->timers.erase(found);
        ++mine->owner->wakes;
        world::the().as(mine->owner, this, due_task);
    });
    mine->timers.emplace(id, std::pair(std::move(what), event));
    return id;
}

void reactor::cancel(timer which) noexcept {
    auto& timers = of(this).timers;
    auto const found = timers.find(which);
    if (found == timers.end()) return;
    world::the().drop(found->second.second);
    timers.erase(found);
}

std::uint64_t reactor::watch(std::shared_ptr<event_target> target) {
    sim::request_memory();
    sim::memory_of_the_world const own;
    auto& mine = of(this);
    auto const token = ++mine.last;
    mine.targets.emplace(token, std::move(target));
    return token;
}

void reactor::unwatch(std::uint64_t token) noexcept {
    auto const dropped = of(this).targets.extract(token);
}

bool reactor::arm(int fd, std::uint32_t events, std::uint64_t token, bool) noexcept {
    sim::memory_of_the_world const own;
    sim::network_in_use()->arm(fd, events, token, this);
    return true;
}

void reactor::disregard(int fd) noexcept {
    sim::network_in_use()->disregard(fd);
}

} // namespace redlatch::io
