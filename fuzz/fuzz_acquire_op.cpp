// Any order of events that the wait loop can meet, with answers that lie and clocks that jump: it ends exactly once, asks only
// where its table allows it, never waits past its deadline or behind an outdated sample, and says "acquired" only while that is
// still valid.
#include "check.hpp"
#include "decisions.hpp"
#include "locking/acquire_op.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace redlatch::fuzz {
namespace {

using namespace std::chrono_literals;
using locking::acquire_answer;
using locking::acquire_op;
using locking::channel_sample;
using locking::count_answer;
using act = acquire_op::act;
using outcome = acquire_op::outcome;

class acquisition {
public:
    explicit acquisition(decisions from) : next_(from), terms_(draw_terms()), op_(terms_) {}

    void run() {
        check(op_.result() == outcome::pending, "nothing is decided before the start");
        obey(op_.start(), {.starts = true,
                           .may_attempt = !terms_.queues_here,
                           .may_wait = terms_.listens_until > now_,
                           .least_wait = 0ms,
                           .asks_by = terms_.queues_here ? base::never : asks_by()});
        while (next_.more() && now_in_ != act::finish) {
            now_ += next_.span();
            step();
        }
        if (now_in_ != act::finish) obey(op_.on_closed(), {.ends_with = outcome::closed});
    }

private:
    /// What may follow an event.
    struct expected {
        outcome ends_with = outcome::pending; ///< it must end, so
        bool starts = false;
        bool may_attempt = false;
        bool may_wait = false;
        bool may_pause = false;
        bool stays_queued = false;
        bool may_watch = false;
        std::optional<locking::precedence> yields_for{};
        base::milliseconds least_wait{1};
        base::instant asks_by = base::never;
        bool fresh_id = false; ///< exactly then
        channel_sample sample{};
    };

    acquire_op::terms draw_terms() {
        acquire_op::terms out;
        out.lease = next_.span_ms() + 1ms;
        out.margin = std::min(next_.span_ms(), out.lease / 2);
        out.longest_wait = next_.span_ms() + 30ms;
        out.began = now_;
        if (!next_.one_in(4)) out.deadline = now_ + next_.span();
        out.may_wait = !next_.one_in(4);
        out.reentry = next_.one_in(4);
        out.plain = next_.one_in(2);
        if (next_.one_in(4)) { // waiters queue on the server
            out.queues_here = false;
            if (next_.one_in(2)) out.listens_until = now_ + std::min<base::nanoseconds>(next_.span(), out.longest_wait);
        }
        return out;
    }

    void step() {
        bool const over = now_ >= terms_.deadline;
        bool const in_queue = terms_.may_wait && !terms_.reentry && terms_.queues_here;
        switch (next_.below(11)) {
        case 0: return obey(op_.on_cancelled(), {.ends_with = outcome::cancelled});
        case 1: return obey(op_.on_closed(), {.ends_with = outcome::closed});
        case 2:
            if (now_in_ == act::attempt) return obey(op_.on_outage(), {.ends_with = outcome::disconnected});
            break;
        case 3:
            if (over) return deadline();
            break;
        case 4: // while a call is under way nobody gives it the lock
            if (in_queue && now_in_ != act::attempt) return obey(op_.on_granted(), {.ends_with = outcome::acquired});
            break;
        default: break;
        }
        switch (now_in_) {
        case act::queue:
            if (over) return deadline();
            if (next_.one_in(3)) return behind_head();
            return next_.one_in(3) ? held_here() : head();
        case act::watch:
            if (over) return deadline();
            if (next_.one_in(3)) return held_here();
            return op_.now_in() == acquire_op::state::queued ? head() : woken();
        case act::attempt: return next_.one_in(4) ? error() : terms_.reentry ? count() : answer();
        case act::wait:
        case act::yield:
        case act::pause:
            if (over) return deadline();
            return in_queue && next_.one_in(4) ? held_here() : woken();
        case act::finish: return;
        }
    }

    channel_sample some_sample() { return {next_.byte(), next_.one_in(2)}; }

    void deadline() {
        using knowledge = acquire_op::knowledge;
        auto const known =
            std::array{knowledge::nothing, knowledge::lock_is_held, knowledge::server_is_there}[next_.below(3)];
        auto const how = busy_ || known == knowledge::lock_is_held ? outcome::timed_out
                         : not_executed_                           ? outcome::refused
                         : known == knowledge::server_is_there     ? outcome::timed_out
                                                                   : outcome::disconnected;
        obey(op_.on_deadline(known), {.ends_with = how});
    }

    locking::precedence some_precedence() {
        if (next_.one_in(2)) return {};
        return {next_.span(), next_.one_in(2)};
    }

    /// Who has not asked yet does so in time for an answer: 8 ms before its deadline, or in half of a shorter wait.
    base::instant asks_by() const {
        if (asked_ || terms_.deadline == base::never) return base::never;
        return terms_.deadline - std::min<base::nanoseconds>(8ms, (terms_.deadline - terms_.began) / 2);
    }

    expected after_others(bool must_yield, locking::precedence const& others, channel_sample const& sample) {
        auto const by = asks_by();
        bool const first = (must_yield || others.time.count() > 0) && now_ < by;
        return {.may_attempt = !first,
                .may_wait = must_yield && first,
                .yields_for = must_yield || !first ? std::nullopt : std::optional(others),
                .least_wait = now_ + 1ms < by ? 1ms : 0ms,
                .asks_by = by,
                .sample = sample};
    }

    void behind_head() {
        auto const next = op_.on_behind_head(now_);
        check(!next.hurry || (terms_.deadline != base::never && !std::exchange(hurried_, true)),
              "the head is hurried once, by who has a deadline");
        obey(next, {.stays_queued = true});
    }

    void held_here() {
        bool const news = next_.one_in(2);
        auto const until = now_ + next_.span();
        bool const queued = op_.now_in() == acquire_op::state::queued;
        auto const next = op_.on_held_here(now_, until, news);
        check(next.until <= until, "it waits for no hold beyond its end");
        check(!next.verify || (news && !queued), "it doubts a hold of its process only when there is news");
        check((op_.now_in() == acquire_op::state::queued) == queued, "it stays in the queue until it has asked");
        check(!op_.doubts() || queued, "who has asked verifies at once");
        op_.end_doubts();
        obey(next, {.may_watch = true});
    }

    void head() {
        bool const must_yield = next_.one_in(4);
        auto const sample = some_sample();
        auto const others = some_precedence();
        auto const next = op_.on_head(now_, must_yield, sample, others);
        if (must_yield && next.what == act::wait)
            check(next.until <= now_ + 5ms, "a process yields for a short time only");
        obey(next, after_others(must_yield, others, sample));
    }

    void answer() {
        auto const sent_at = now_ - next_.span();
        auto const before = some_sample();
        if (plain_ && next_.one_in(2)) { // asked again by script, at once
            if (next_.one_in(2)) return obey(op_.on_plain_refused(), {.may_attempt = true});
            busy_ = true;
            not_executed_ = false;
            acquire_answer const exists{acquire_answer::kind::key_exists};
            return obey(op_.on_answer(exists, sent_at, now_, before), {.may_attempt = true});
        }
        acquire_answer said;
        switch (next_.below(3)) {
        case 0: said.what = acquire_answer::kind::acquired; break;
        case 1: said.what = acquire_answer::kind::busy; break;
        default: break;
        }
        if (said.what == acquire_answer::kind::busy && next_.one_in(2)) said.retry_after = next_.span_ms();
        auto const next = op_.on_answer(said, sent_at, now_, before);
        if (said.what == acquire_answer::kind::not_understood) return obey(next, {.ends_with = outcome::bad_reply});
        bool const has_it = said.what == acquire_answer::kind::acquired;
        if (has_it && now_ < sent_at + terms_.lease - terms_.margin)
            return obey(next, {.ends_with = outcome::acquired});
        if (!has_it) {
            busy_ = true;
            not_executed_ = false;
        }
        bool const no_time = !terms_.may_wait || now_ >= terms_.deadline;
        if (no_time)
            return obey(next, {.ends_with = terms_.may_wait ? outcome::timed_out : outcome::busy, .fresh_id = has_it});
        if (has_it && std::exchange(was_stale_, true)) return obey(next, {.may_pause = true, .fresh_id = true});
        if (said.retry_after)
            check(next.until <= now_ + std::max(*said.retry_after, 1ms), "it asks again when the lease it saw is over");
        obey(next, {.may_wait = true, .fresh_id = has_it, .sample = before});
    }

    void count() {
        auto const sent_at = now_ - next_.span();
        auto const validity = next_.one_in(2) ? now_ + next_.span() : now_ - next_.span();
        auto const said =
            std::array{count_answer::written, count_answer::not_held, count_answer::not_understood}[next_.below(3)];
        bool const valid = now_ < validity || now_ < sent_at + terms_.lease - terms_.margin;
        auto const how = said == count_answer::not_understood     ? outcome::bad_reply
                         : said == count_answer::written && valid ? outcome::acquired
                                                                  : outcome::lost;
        obey(op_.on_count_answer(said, sent_at, now_, validity), {.ends_with = how});
    }

    void error() {
        using connection::verdict;
        auto const what = std::array{verdict::not_executed, verdict::read_only, verdict::no_script, verdict::wrong_type,
                                     verdict::refused}[next_.below(5)];
        again_ = next_.one_in(2) ? now_ + next_.span() : base::instant::min();
        auto const next = op_.on_error(what, now_, again_);
        if (what == verdict::wrong_type) return obey(next, {.ends_with = outcome::wrong_type});
        if (what == verdict::no_script || what == verdict::refused) return obey(next, {.ends_with = outcome::refused});
        bool const told = what == verdict::not_executed || std::exchange(was_read_only_, true);
        if (!terms_.may_wait && told) return obey(next, {.ends_with = outcome::refused}); // who asks once is told
        busy_ = false;
        not_executed_ = true;
        obey(next, {.may_pause = true});
    }

    void woken() {
        bool const must_yield = now_in_ == act::wait && next_.one_in(3);
        auto const sample = some_sample();
        auto const others = some_precedence();
        auto const next = op_.on_woken(now_, must_yield, sample, others);
        if (must_yield && next.what == act::wait)
            check(next.until <= now_ + 5ms, "a process yields for a short time only");
        obey(next, after_others(must_yield, others, sample));
    }

    void obey(acquire_op::action const& what, expected const& may) {
        now_in_ = what.what;
        check((may.ends_with != outcome::pending) == (what.what == act::finish), "it ends when it must, and only then");
        check(op_.result() == may.ends_with, "it says how it ended, once it has");
        check(what.fresh_id == may.fresh_id, "an id that may be in the key without a valid hold is given up");
        check(op_.trying() == (what.what == act::attempt), "it is trying exactly while an attempt is out");
        bool const may_be_plain =
            std::exchange(plain_allowed_, plain_allowed_ && op_.now_in() == acquire_op::state::queued);
        check(!what.plain || (what.what == act::attempt && may_be_plain),
              "only a first attempt, that no wait came before, is a plain command");
        plain_ = what.plain;
        switch (what.what) {
        case act::queue:
            check((may.starts || may.stays_queued) && terms_.may_wait && !terms_.reentry && terms_.queues_here,
                  "only who may wait for others queues");
            break;
        case act::watch: check(may.may_watch, "it watches a hold of its process, and nothing else"); break;
        case act::attempt:
            asked_ = true;
            check(may.may_attempt || (may.starts && (!terms_.may_wait || terms_.reentry)), "it may ask now");
            break;
        case act::wait:
            check(may.may_wait && terms_.may_wait && !terms_.reentry, "only who may wait waits");
            check(what.until >= std::min(now_ + may.least_wait, terms_.deadline), "it does not ask without a pause");
            check(what.until <= now_ + terms_.longest_wait, "no wait is longer than the longest");
            check(what.subscribe == !may.sample.subscribed, "it subscribes unless that was done before the sample");
            break;
        case act::yield:
            check(may.yields_for.has_value(), "it yields where others are before it, and nowhere else");
            check(what.until <= now_ + may.yields_for->time, "and no longer than for them");
            check(what.listen == may.yields_for->near, "it listens when its turn is near");
            break;
        case act::pause:
            check(may.may_pause, "only \"not executed\", and a second stale answer, make it pause");
            check(what.until > now_ || what.until == terms_.deadline, "and it is a pause");
            check(what.until <= std::max(now_ + 100ms, again_), "a pause is as short as the server's others");
            break;
        case act::finish: return;
        }
        check(what.until <= terms_.deadline, "nothing lasts beyond the deadline");
        check(what.until <= may.asks_by || now_in_ == act::attempt,
              "who has not asked yet does so in time for an answer");
    }

    decisions next_;
    base::instant now_ = beginning + std::chrono::hours(48);
    acquire_op::terms terms_;
    acquire_op op_;
    act now_in_ = act::finish;
    bool hurried_ = false;
    bool plain_allowed_ = terms_.plain && !terms_.reentry; ///< nothing but the queue has come so far
    bool plain_ = false;                                   ///< the attempt that is out
    bool asked_ = false;                                   ///< at least once
    bool busy_ = false;                                    ///< the server's last word
    bool not_executed_ = false;                            ///< likewise
    bool was_read_only_ = false;                           ///< once
    bool was_stale_ = false;                               ///< it was acquired, and the validity was over, once
    base::instant again_ = base::instant::min();           ///< when somebody may try again, by the latest refusal
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    redlatch::fuzz::acquisition(redlatch::fuzz::decisions(data, size)).run();
    return 0;
}
