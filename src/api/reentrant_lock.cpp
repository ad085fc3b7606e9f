#include "api/access.hpp"
#include "api/async_call.hpp"
#include "locking/names.hpp"

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

std::optional<outcome> start_acquisition(lock_impl const& of, acquire_options const& options, manner how,
                                         completion_ptr<hold>& done) {
    auto const& core = of.core;
    auto const subject = [&] { return "lock " + locking::shown(of.record->name) + " was not acquired: "; };
    if (auto const refused = core->refusal(false)) return outcome(refused, subject() + refused.message());
    std::string problem;
    if (auto const ec = check(of, options, problem)) return outcome(ec, std::move(problem));
    bool const running = detail::start<io::acquisition>(
        core, options.stop, done,
        [core](io::acquisition const& ended, completion_ptr<hold> whom) {
            if (ended.result())
                detail::tell(*core, std::move(whom), detail::failure_of(ended), hold());
            else
                detail::tell(*core, std::move(whom), outcome(), detail::hold_access::make(core, ended));
        },
        to_request(of, options, how));
    if (running) return std::nullopt;
    return outcome(errc::closed, subject() + make_error_code(errc::closed).message());
}

} // namespace

reentrant_lock::reentrant_lock(std::shared_ptr<lock_impl> impl) noexcept : impl_(std::move(impl)) {}

std::string const& reentrant_lock::name() const noexcept {
    return impl_->record->name;
}

user_loop const* reentrant_lock::driven_by() const noexcept {
    return impl_->core->driven_by();
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

std::optional<outcome> reentrant_lock::start_acquire(acquire_options const& options, completion_ptr<hold>& done) {
    return start_acquisition(*impl_, options, manner::acquire, done);
}

std::optional<outcome> reentrant_lock::start_try_acquire(acquire_options const& options, completion_ptr<hold>& done) {
    return start_acquisition(*impl_, options, manner::try_once, done);
}

void reentrant_lock::async_acquire(acquire_options const& options, executor where,
                                   std::function<void(std::error_code, hold)> handler) {
    detail::with_handler<hold>(*impl_->core, std::move(where), std::move(handler),
                               [&](completion_ptr<hold>& done) { return start_acquire(options, done); });
}

void reentrant_lock::async_try_acquire(acquire_options const& options, executor where,
                                       std::function<void(std::error_code, std::optional<hold>)> handler) {
    auto const unwrapped = [handler = std::move(handler)](std::error_code ec, hold got) {
        handler(ec, ec ? std::nullopt : std::optional<hold>(std::move(got)));
    };
    detail::with_handler<hold>(*impl_->core, std::move(where), unwrapped,
                               [&](completion_ptr<hold>& done) { return start_try_acquire(options, done); });
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
    if (core.settings().detached_unlock || core.on_own_thread())
        return detail::give_back_detached(impl_->core, which, level);
    detail::give_back(core, which, level, true, nullptr);
}

// --- looking

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
