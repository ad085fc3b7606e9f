// What the threads of a Java process do, written into the same history as the work of ours.
#include "sim/scenario/stage.hpp"

#include <utility>

namespace redlatch::sim {
namespace {

using kind = fact::kind;

class doing {
public:
    doing(stage& in, int number, int process, job const& what, std::int64_t thread)
        : in_(in), number_(number), process_(process), what_(what),
          me_(in.actors.at(static_cast<std::size_t>(process))) {
        asked_.lock = in.lock_name(what.lock);
        asked_.thread = thread;
        asked_.lease = what.lease;
    }

    void run() {
        rest(what_.pause, what_.pause_us);
        if (over() || !enter()) return;
        int inner = 0;
        for (int i = 1; i < what_.entries && !over(); ++i) {
            asked_.wait = 0;
            inner += me_.java->lock(asked_) == redisson_peer::answer::acquired;
        }
        rest(what_.hold, what_.hold_us);
        for (; inner > 0 && !over(); --inner) me_.java->unlock(asked_);
        leave();
    }

private:
    bool over() const { return me_.who->retired; }
    void rest(std::int64_t ms, std::int64_t us) {
        if (ms + us > 0) in_.universe.rest_for(std::chrono::milliseconds(ms) + std::chrono::microseconds(us));
    }
    fact about(kind what) const { return {.what = what, .process = process_, .worker = number_, .lock = what_.lock}; }

    bool enter() {
        auto asked = about(kind::asked);
        switch (what_.asks) {
        case job::how::timed:
        case job::how::cancelled: asked_.wait = what_.wait; break;
        case job::how::once: asked_.wait = 0; break;
        case job::how::for_ever:
        case job::how::asynchronous: break;
        }
        asked.waits = asked_.wait != 0;
        in_.write(std::move(asked)); // without a deadline: a Java machine keeps none within 20 ms when answers are slow
        auto const seen = me_.java->lock(asked_);
        if (over()) return false;
        if (seen != redisson_peer::answer::acquired) {
            auto failed = about(kind::not_acquired);
            failed.said = answer::untold;
            failed.text = seen == redisson_peer::answer::busy ? "the lock is held by somebody else" : "Redisson threw";
            in_.write(std::move(failed));
            return false;
        }
        auto const owner = me_.java->owner(asked_.thread);
        // What has run out before its answer came takes the lock from nobody: Redisson does not look at the clock.
        bool const held = me_.java->holds(asked_.lock, asked_.thread);
        if (held) in_.tell_beliefs(what_.lock, number_, owner);
        auto mine = about(kind::acquired);
        mine.owner = owner;
        mine.yes = !asked_.lease;
        mine.believed = held ? belief::held : belief::lost;
        in_.write(std::move(mine));
        ++in_.acquired;
        believed_hold entry{process_, number_, what_.lock, owner, {}, {}};
        entry.java_thread = asked_.thread;
        place_ = in_.holds.insert(in_.holds.end(), std::move(entry));
        return true;
    }

    void leave() {
        auto done = about(kind::released);
        done.owner = me_.java->owner(asked_.thread);
        if (!over()) {
            auto begins = about(kind::releasing);
            begins.owner = done.owner;
            in_.write(std::move(begins));
            in_.holds.erase(place_); // of a process that died it is gone
        }
        auto const* const problem = me_.java->unlock(asked_);
        done.said = answer::untold;
        done.text = problem == nullptr ? "by Redisson" : problem;
        if (problem != nullptr) in_.let_redisson_sleep(process_); // one of a process is woken, and this one told nobody
        if (!over()) in_.write(std::move(done));
    }

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    redisson_peer::request asked_{};
    std::list<believed_hold>::iterator place_{};
};

} // namespace

void work_as_redisson(stage& in, int number, int process, job const& what) {
    // What a thread sent may run late, and names the thread: each job is another one's, as in a pool that renews its threads.
    doing(in, number, process, what, ++in.actors.at(static_cast<std::size_t>(process)).java_threads).run();
}

} // namespace redlatch::sim
