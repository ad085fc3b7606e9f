#include "api/access.hpp"
#include "api/lock_view.hpp"
#include "io/query.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>
#include <redlatch/reentrant_lock.hpp>

#include <algorithm>
#include <utility>

namespace redlatch {

using detail::lock_impl;
using locking::tenure;

namespace {

constexpr duration longest{std::chrono::hours(24) * 36525}; // a hundred years

enum class manner { acquire, try_once };

/// Zero, or invalid_argument and what is wrong.
std::error_code check(lock_impl const& of, acquire_options const& options, std::string& sentence) {
    auto const complain = [&](char const* which, char const* what) {
        sentence = "lock " + locking::shown(of.record->name) + ": " + which + " must be " + what
                   + " and at most a hundred years";
        return errc::invalid_argument;
    };
    auto const within = [](duration value, std::int64_t least) { return value.count() >= least && value <= longest; };
    if (options.wait && !within(*options.wait, 0)) return complain("wait", "zero or more");
    if (options.lease && !within(*options.lease, 1)) return complain("lease", "at least one millisecond");
    if (options.max_hold && !within(*options.max_hold, 1)) return complain("max_hold", "at least one millisecond");
    return {};
}

io::acquisition::request to_request(lock_impl const& of, acquire_options const& options, manner how) {
    io::acquisition::request what;
    what.record = of.record;
    what.owner_number = options.owner.number();
    what.lease = options.lease;
    what.max_hold = options.max_hold;
    bool const for_ever = how == manner::acquire && !options.wait;
    what.waits_for_ever = for_ever;
    what.may_wait = for_ever || (options.wait && options.wait->count() > 0);
    if (!for_ever)
        what.deadline = base::later(lease_clock::now(), what.may_wait ? *options.wait : of.core->settings().timeout);
    return what;
}

/// Acquires on the calling thread. What is acquired goes to `out`; null: unlock() will find it. `sentence` is filled in for a
/// failure if it is not null.
std::error_code acquire_now(lock_impl const& of, io::acquisition::request what, std::stop_token const& stop, hold* out,
                            std::string* sentence, std::uint64_t thread) {
    if (auto const refused = of.core->refusal(true)) {
        if (sentence != nullptr)
            *sentence = "lock " + locking::shown(of.record->name) + " was not acquired: " + refused.message();
        return refused;
    }
    if (what.owner_number == thread) of.core->watch_this_thread();
    io::acquisition one(of.core, std::move(what));
    io::run_blocking(one, stop);
    if (one.result()) {
        if (sentence != nullptr) *sentence = one.sentence();
    } else if (out != nullptr) {
        *out = detail::hold_access::make(of.core, one);
    }
    return one.result();
}

std::error_code acquire_now(lock_impl const& of, acquire_options const& options, manner how, hold& out,
                            std::string* sentence) {
    std::string problem;
    if (auto const ec = check(of, options, problem)) {
        if (sentence != nullptr) *sentence = std::move(problem);
        return ec;
    }
    return acquire_now(of, to_request(of, options, how), options.stop, &out, sentence, owner::this_thread().number());
}

bool means_no(std::error_code ec) noexcept {
    return ec == errc::busy || ec == errc::timed_out;
}

[[noreturn]] void fail(std::error_code ec, std::string sentence) {
    throw error(static_cast<errc>(ec.value()), std::move(sentence));
}

void acquire_later(std::shared_ptr<lock_impl> const& of, acquire_options const& options, manner how, executor where,
                   std::function<void(std::error_code, hold)> handler) {
    auto const core = of->core;
    // The handler is called once; a hold moves, and std::function wants copies.
    auto const answer = [core, where = std::move(where), handler = std::move(handler)](std::error_code ec, hold got) {
        auto const box = std::make_shared<hold>(std::move(got));
        core->deliver(where, [handler, ec, box] { handler(ec, std::move(*box)); });
    };
    std::string ignored;
    auto ec = core->refusal(false);
    if (!ec) ec = check(*of, options, ignored);
    if (ec) return answer(ec, {});
    auto const one = std::make_shared<io::acquisition>(core, to_request(*of, options, how));
    bool const running = core->run(one, options.stop, [core, one, answer] {
        answer(one->result(), one->result() ? hold() : detail::hold_access::make(core, *one));
    });
    if (!running) answer(errc::closed, {});
}

} // namespace

reentrant_lock::reentrant_lock(std::shared_ptr<lock_impl> impl) noexcept : impl_(std::move(impl)) {}

std::string const& reentrant_lock::name() const noexcept {
    return impl_->record->name;
}

// --- acquire

hold reentrant_lock::acquire(acquire_options const& options) {
    hold out;
    std::string sentence;
    if (auto const ec = acquire_now(*impl_, options, manner::acquire, out, &sentence)) fail(ec, std::move(sentence));
    return out;
}

hold reentrant_lock::acquire(acquire_options const& options, std::error_code& ec) {
    hold out;
    ec = acquire_now(*impl_, options, manner::acquire, out, nullptr);
    return out;
}

std::optional<hold> reentrant_lock::try_acquire(acquire_options const& options) {
    hold out;
    std::string sentence;
    auto const ec = acquire_now(*impl_, options, manner::try_once, out, &sentence);
    if (means_no(ec)) return std::nullopt;
    if (ec) fail(ec, std::move(sentence));
    return out;
}

std::optional<hold> reentrant_lock::try_acquire(acquire_options const& options, std::error_code& ec) {
    hold out;
    ec = acquire_now(*impl_, options, manner::try_once, out, nullptr);
    if (ec) return std::nullopt;
    return out;
}

void reentrant_lock::async_acquire(acquire_options const& options, executor where,
                                   std::function<void(std::error_code, hold)> handler) {
    acquire_later(impl_, options, manner::acquire, std::move(where), std::move(handler));
}

void reentrant_lock::async_try_acquire(acquire_options const& options, executor where,
                                       std::function<void(std::error_code, std::optional<hold>)> handler) {
    acquire_later(impl_, options, manner::try_once, std::move(where),
                  [handler = std::move(handler)](std::error_code ec, hold got) {
                      handler(ec, ec ? std::nullopt : std::optional<hold>(std::move(got)));
                  });
}

// --- the adapter

void reentrant_lock::lock() {
    auto what = to_request(*impl_, {}, manner::acquire);
    what.adapter = true;
    std::string sentence;
    auto const thread = what.owner_number;
    auto const ec = acquire_now(*impl_, std::move(what), {}, nullptr, &sentence, thread);
    if (ec) fail(ec, std::move(sentence));
}

bool reentrant_lock::try_lock() {
    return try_lock_within(std::chrono::nanoseconds::zero());
}

bool reentrant_lock::try_lock_within(std::chrono::nanoseconds wait) {
    auto what = to_request(*impl_, {}, manner::try_once);
    what.adapter = true;
    if (wait > std::chrono::nanoseconds::zero()) {
        what.may_wait = true;
        what.deadline = base::later(lease_clock::now(), wait);
    }
    std::string sentence;
    auto const thread = what.owner_number;
    auto const ec = acquire_now(*impl_, std::move(what), {}, nullptr, &sentence, thread);
    if (means_no(ec)) return false;
    if (ec) fail(ec, std::move(sentence));
    return true;
}

void reentrant_lock::unlock() {
    auto& core = *impl_->core;
    auto const me = owner::this_thread().number();
    auto const subject = [this] { return "lock " + locking::shown(name()); };
    if (core.forked())
        throw error(errc::forked,
                    subject() + " belongs to a client of the parent of this process; make a new client here");
    locking::tenure_ptr which;
    std::uint64_t level = 0;
    core.locked([&](locking::lock_table&, base::wake_list&) {
        for (auto const& one : impl_->record->tenures) {
            if (one->owner_number != me) continue;
            for (auto const& taken : one->levels)
                if (taken.adapter && taken.number > level) {
                    which = one;
                    level = taken.number;
                }
        }
    });
    if (!which)
        throw error(errc::not_owner, "attempt to unlock " + subject() + ", not locked by current thread by node id: "
                                         + core.id() + " thread-id: " + std::to_string(me) + "; nothing was changed");
    if (core.on_own_thread()) return detail::give_back_detached(impl_->core, which, level);
    detail::give_back(core, which, level, true, nullptr);
}

// --- looking

bool reentrant_lock::is_locked() {
    auto const reply =
        io::ask(impl_->core, resp::command("EXISTS", name()), "asking for lock " + locking::shown(name()));
    if (!reply.is_integer()) throw error(errc::bad_reply, "the server's answer to EXISTS is not a number");
    return reply.integer != 0;
}

std::optional<duration> reentrant_lock::remaining_lease() {
    auto const reply =
        io::ask(impl_->core, resp::command("PTTL", name()), "asking for the lease of lock " + locking::shown(name()));
    if (!reply.is_integer()) throw error(errc::bad_reply, "the server's answer to PTTL is not a number");
    if (reply.integer < 0) return std::nullopt;
    return duration(reply.integer);
}

lock_info reentrant_lock::inspect() {
    return detail::inspect(impl_->core, name());
}

bool reentrant_lock::force_unlock() {
    io::query one(impl_->core, detail::force_release_call(*impl_), "force-releasing lock " + locking::shown(name()));
    if (auto const refused = impl_->core->refusal(true)) fail(refused, "force_unlock: " + refused.message());
    io::run_blocking(one);
    if (one.result()) fail(one.result(), one.sentence());
    return detail::after_force_release(*impl_, one);
}

void reentrant_lock::async_force_unlock(executor where, std::function<void(std::error_code, bool)> handler) {
    auto const core = impl_->core;
    auto const answer = [core, where = std::move(where), handler = std::move(handler)](std::error_code ec, bool was) {
        core->deliver(where, [handler, ec, was] { handler(ec, was); });
    };
    if (auto const refused = core->refusal(false)) return answer(refused, false);
    auto const one = std::make_shared<io::query>(core, detail::force_release_call(*impl_),
                                                 "force-releasing lock " + locking::shown(name()));
    bool const running = core->run(one, {}, [one, answer, impl = impl_] {
        answer(one->result(), !one->result() && detail::after_force_release(*impl, *one));
    });
    if (!running) answer(errc::closed, false);
}

bool reentrant_lock::is_held(owner const& by) const noexcept {
    return hold_count(by) > 0;
}

int reentrant_lock::hold_count(owner const& by) const noexcept {
    if (impl_->core->forked()) return 0;
    return impl_->core->locked([&](locking::lock_table& table, base::wake_list&) {
        auto const mine = table.current(*impl_->record, by.number());
        return mine && mine->holds(lease_clock::now()) ? static_cast<int>(mine->levels.size()) : 0;
    });
}

hold_view reentrant_lock::current_hold(owner const& by) const {
    if (impl_->core->forked()) return {};
    std::uint64_t level = 0;
    auto const mine = impl_->core->locked([&](locking::lock_table& table, base::wake_list&) {
        auto found = table.current(*impl_->record, by.number());
        if (!found || found->levels.empty()) {
            // What was lost and not given back yet can still be looked at.
            found = nullptr;
            for (auto const& one : impl_->record->tenures)
                if (one->owner_number == by.number() && one->in(tenure::phase::lost)) found = one;
        }
        if (found && !found->levels.empty()) level = found->levels.back().number;
        return found;
    });
    return mine ? detail::hold_access::view(impl_->core, mine, level) : hold_view();
}

} // namespace redlatch
