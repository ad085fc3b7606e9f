#include "api/access.hpp"
#include "api/async_call.hpp"
#include "api/call_owner.hpp"
#include "api/waits.hpp"
#include "io/confirmed_acquisition.hpp"
#include "locking/names.hpp"

#include <redlatch/basic_lock.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <utility>

namespace redlatch {

using detail::fail;
using detail::lock_impl;
using detail::longest_time;
using detail::means_no;
using locking::tenure;

namespace {

enum class manner { acquire, try_once };

std::error_code check_fencing(lock_impl const& impl, acquire_options const& options, std::string& message) {
    auto const& how = *impl.record->how;
    if (options.fencing && how.shared) {
        message =
            "lock " + locking::shown(impl.record->name)
            + ": fencing is for who holds a lock alone; several may read at a time, and none of them is the latest; "
              "acquire for writing, or without fencing";
        return errc::invalid_argument;
    }
    auto const ttl = impl.core->settings().fencing_counter_ttl;
    auto const given = [](std::optional<duration> const& time) {
        return std::min(time.value_or(duration(0)), longest_time);
    };
    auto const longest = std::max(given(options.lease) + given(options.lock_delay), given(options.hold_at_least));
    if ((options.fencing || how.always_fencing) && ttl && longest > *ttl) {
        message =
            "lock " + locking::shown(impl.record->name)
            + ": a lease, with its lock_delay, or a hold_at_least that is longer than config::fencing_counter_ttl ("
            + std::to_string(ttl->count())
            + " ms) would outlive the counter of its token, and the next holder could get a smaller one; give a "
              "shorter one or a longer fencing_counter_ttl";
        return errc::invalid_argument;
    }
    return {};
}

/// Zero, or invalid_argument and what is wrong.
std::error_code check(lock_impl const& impl, acquire_options const& options, std::string& message) {
    auto const complain = [&](char const* option, char const* rule) {
        message = "lock " + locking::shown(impl.record->name) + ": " + option + " must be " + rule;
        return errc::invalid_argument;
    };
    if (options.wait && options.wait->count() < 0) return complain("wait", "zero or more");
    if (options.lease && options.lease->count() < 1) return complain("lease", "at least one millisecond");
    if (options.max_hold && options.max_hold->count() < 1) return complain("max_hold", "at least one millisecond");
    if (options.lock_delay && options.lock_delay->count() < 0) return complain("lock_delay", "zero or more");
    if (options.hold_at_least && options.hold_at_least->count() < 1)
        return complain("hold_at_least", "at least one millisecond");
    if (options.hold_at_least && options.lease && *options.hold_at_least > *options.lease)
        return complain("hold_at_least",
                        "no longer than lease: a fixed lease is not renewed, and the lock ends with it");
    if (options.lease && options.max_hold) {
        message =
            "lock " + locking::shown(impl.record->name)
            + ": lease and max_hold exclude each other: a fixed lease is never renewed and ends by itself, max_hold "
              "bounds a renewed one; give the one that you mean";
        return errc::invalid_argument;
    }
    return check_fencing(impl, options, message);
}

io::acquisition::request to_request(lock_impl const& impl, acquire_options const& options, manner mode) {
    io::acquisition::request what;
    what.record = impl.record;
    what.owner_number = detail::owner_of(options).number();
    what.backoff = impl.backoff;
    what.owner_suffix = impl.owner_suffix;
    what.fencing = options.fencing;
    if (options.lease) what.lease = std::min<duration>(*options.lease, longest_time);
    if (options.max_hold && *options.max_hold <= longest_time) what.max_hold = options.max_hold;
    if (options.hold_at_least) what.hold_at_least = std::min<duration>(*options.hold_at_least, longest_time);
    if (options.lock_delay) what.lock_delay = std::min<duration>(*options.lock_delay, longest_time);
    bool const for_ever = options.wait ? *options.wait >= longest_time : mode == manner::acquire;
    what.waits_for_ever = for_ever;
    what.may_wait = for_ever || (options.wait && options.wait->count() > 0);
    if (!for_ever)
        what.deadline = base::later(lease_clock::now(), what.may_wait ? *options.wait : impl.core->settings().timeout);
    return what;
}

std::string without_a_thread(lock_impl const& impl) {
    return "lock " + locking::shown(impl.record->name)
           + " was not acquired: the client's I/O thread, which would renew it, cannot be started; raise the limit of "
             "threads";
}

/// What `one` acquires goes to `out`; null: unlock() will find it.
template <class Acquisition>
std::error_code carry_out(lock_impl const& impl, Acquisition& one, std::stop_token const& stop, hold* out,
                          std::string* message) {
    io::run_blocking(one, stop);
    if (one.result()) {
        if (message != nullptr) *message = one.message();
    } else if (out != nullptr) {
        *out = detail::hold_access::make(impl.core, one);
    } else {
        one.handed_over();
    }
    return one.result();
}

/// Acquires on the calling thread. What is acquired goes to `out`; null: unlock() will find it. `message` is filled in for a
/// failure if it is not null.
std::error_code acquire_now(lock_impl const& impl, io::acquisition::request request, std::stop_token const& stop,
                            hold* out, std::string* message, std::uint64_t thread) {
    if (auto const refused = impl.core->refusal(true)) {
        if (message != nullptr)
            *message = "lock " + locking::shown(impl.record->name) + " was not acquired: " + refused.message();
        return refused;
    }
    if (auto const no_thread = impl.core->have_thread()) {
        if (message != nullptr) *message = without_a_thread(impl);
        return no_thread;
    }
    if (request.owner_number == thread) impl.core->watch_this_thread();
    if (impl.replicas.replicas != 0) {
        io::confirmed_acquisition one(impl.core, std::move(request), impl.replicas);
        return carry_out(impl, one, stop, out, message);
    }
    io::acquisition one(impl.core, std::move(request));
    return carry_out(impl, one, stop, out, message);
}

std::error_code acquire_now(lock_impl const& impl, acquire_options const& options, manner mode, hold& out,
                            std::string* message) {
    std::string problem;
    if (auto const ec = check(impl, options, problem)) {
        if (message != nullptr) *message = std::move(problem);
        return ec;
    }
    return acquire_now(impl, to_request(impl, options, mode), options.stop, &out, message,
                       owner::this_thread().number());
}

std::optional<outcome> start_acquisition(lock_impl const& impl, acquire_options const& options, manner mode,
                                         completion_ptr<hold>& done, bool provisional = false) {
    auto const& core = impl.core;
    auto const subject = [&] { return "lock " + locking::shown(impl.record->name) + " was not acquired: "; };
    if (auto const refused = core->refusal(false)) return outcome(refused, subject() + refused.message());
    std::string problem;
    if (auto const ec = check(impl, options, problem)) return outcome(ec, std::move(problem));
    if (auto const no_thread = core->need_thread()) return outcome(no_thread, without_a_thread(impl));
    if (detail::owner_of(options) == owner::this_thread()) core->watch_this_thread();
    auto const tell = [core](auto& ended, completion_ptr<hold> completion) {
        if (ended.result())
            detail::tell(*core, std::move(completion), detail::failure_of(ended), hold());
        else
            detail::tell(*core, std::move(completion), outcome(), detail::hold_access::make(core, ended));
    };
    auto request = to_request(impl, options, mode);
    request.provisional = provisional;
    bool const running = impl.replicas.replicas != 0
                             ? detail::start<io::confirmed_acquisition>(core, options.stop, done, tell,
                                                                        std::move(request), impl.replicas)
                             : detail::start<io::acquisition>(core, options.stop, done, tell, std::move(request));
    if (running) return std::nullopt;
    return outcome(errc::closed, subject() + make_error_code(errc::closed).message());
}

} // namespace

lock_impl const& basic_lock::impl() const {
    if (!impl_) throw error(errc::invalid_argument, "this lock was moved from; use the one that it was moved to");
    return *impl_;
}

basic_lock::basic_lock(std::shared_ptr<lock_impl> impl) noexcept : impl_(std::move(impl)) {}

std::string const& basic_lock::name() const noexcept {
    static std::string const none;
    return impl_ ? impl_->record->name : none;
}

std::string_view basic_lock::kind() const noexcept {
    return impl_ ? impl_->record->how->kind : std::string_view();
}

user_loop const* basic_lock::driven_by() const noexcept {
    return impl_ ? impl_->core->driven_by() : nullptr;
}

// --- acquire

hold basic_lock::acquire(acquire_options const& options) {
    hold out;
    std::string message;
    if (auto const ec = acquire_now(impl(), options, manner::acquire, out, &message)) fail(ec, std::move(message));
    return out;
}

hold basic_lock::acquire(acquire_options const& options, std::error_code& ec) {
    hold out;
    ec = impl_ ? acquire_now(*impl_, options, manner::acquire, out, nullptr) : errc::invalid_argument;
    return out;
}

std::optional<hold> basic_lock::try_acquire(acquire_options const& options) {
    hold out;
    std::string message;
    auto const ec = acquire_now(impl(), options, manner::try_once, out, &message);
    if (means_no(ec)) return std::nullopt;
    if (ec) fail(ec, std::move(message));
    return out;
}

std::optional<hold> basic_lock::try_acquire(acquire_options const& options, std::error_code& ec) {
    hold out;
    ec = impl_ ? acquire_now(*impl_, options, manner::try_once, out, nullptr) : errc::invalid_argument;
    if (ec) return std::nullopt;
    return out;
}

std::optional<outcome> basic_lock::start_acquire(acquire_options const& options, completion_ptr<hold>& done) {
    return start_acquisition(impl(), detail::with_owner_of_its_own(options), manner::acquire, done);
}

std::optional<outcome> basic_lock::start_try_acquire(acquire_options const& options, completion_ptr<hold>& done) {
    return start_acquisition(impl(), detail::with_owner_of_its_own(options), manner::try_once, done);
}

std::optional<outcome> detail::lock_access::start_member(basic_lock const& lock, acquire_options const& options,
                                                         completion_ptr<hold>& done) {
    return start_acquisition(lock.impl(), options, manner::try_once, done, true);
}

void basic_lock::async_acquire(acquire_options const& options, executor ex,
                               std::function<void(std::error_code, hold)> handler) {
    auto const what = detail::without_thread_as_owner(options);
    detail::with_handler<hold>(*impl().core, std::move(ex), std::move(handler),
                               [&](completion_ptr<hold>& done) { return start_acquire(what, done); });
}

void basic_lock::async_try_acquire(acquire_options const& options, executor ex,
                                   std::function<void(std::error_code, std::optional<hold>)> handler) {
    detail::must_be_callable(handler);
    auto const what = detail::without_thread_as_owner(options);
    auto const unwrapped = [handler = std::move(handler)](std::error_code ec, hold got) {
        handler(ec, ec ? std::nullopt : std::optional<hold>(std::move(got)));
    };
    detail::with_handler<hold>(*impl().core, std::move(ex), unwrapped,
                               [&](completion_ptr<hold>& done) { return start_try_acquire(what, done); });
}

// --- the adapter

void basic_lock::lock() {
    auto what = to_request(impl(), {}, manner::acquire);
    what.adapter = true;
    std::string message;
    auto const thread = what.owner_number;
    auto const ec = acquire_now(*impl_, std::move(what), {}, nullptr, &message, thread);
    if (ec) fail(ec, std::move(message));
}

bool basic_lock::try_lock() {
    return try_lock_within(std::chrono::nanoseconds::zero());
}

bool basic_lock::try_lock_within(std::chrono::nanoseconds wait) {
    auto what = to_request(impl(), {}, manner::try_once);
    what.adapter = true;
    if (wait > std::chrono::nanoseconds::zero()) {
        what.may_wait = true;
        what.waits_for_ever = wait >= longest_time;
        what.deadline = what.waits_for_ever ? base::never : base::later(lease_clock::now(), wait);
    }
    std::string message;
    auto const thread = what.owner_number;
    auto const ec = acquire_now(*impl_, std::move(what), {}, nullptr, &message, thread);
    if (means_no(ec)) return false;
    if (ec) fail(ec, std::move(message));
    return true;
}

void basic_lock::unlock() {
    auto& core = *impl().core;
    auto const me = owner::this_thread().number();
    auto const subject = [this] { return "lock " + locking::shown(name()); };
    if (core.forked())
        throw error(errc::forked,
                    subject() + " belongs to a client of the parent of this process; make a new client here");
    locking::tenure_ptr tenure;
    std::uint64_t level = 0;
    core.locked([&](locking::lock_table&, base::wake_list&) {
        for (auto const& one : impl_->record->tenures.acquired()) {
            if (one->owner_number != me) continue;
            for (auto const& taken : one->levels)
                if (taken.adapter && taken.number > level) {
                    tenure = one;
                    level = taken.number;
                }
        }
    });
    if (!tenure)
        throw error(errc::not_owner, "attempt to unlock " + subject() + ", not locked by current thread by node id: "
                                         + core.id() + " thread-id: " + std::to_string(me) + "; nothing was changed");
    if (core.settings().detached_unlock || core.on_own_thread())
        return detail::give_back_detached(impl_->core, tenure, level);
    detail::give_back(core, tenure, level, true, nullptr);
}

// --- looking

bool basic_lock::is_held(owner const& owner) const noexcept {
    return hold_count(owner) > 0;
}

int basic_lock::hold_count(owner const& owner) const noexcept {
    if (!impl_ || impl_->core->forked()) return 0;
    return impl_->core->locked([&](locking::lock_table& table, base::wake_list&) {
        auto const mine = table.current(*impl_->record, owner.number());
        return mine && mine->holds(lease_clock::now()) ? static_cast<int>(mine->levels.size()) : 0;
    });
}

hold_view basic_lock::current_hold(owner const& owner) const {
    if (!impl_ || impl_->core->forked()) return {};
    std::uint64_t token = 0;
    int confirmed_by = -1;
    auto const mine = impl_->core->locked([&](locking::lock_table& table, base::wake_list&) {
        auto found = table.current(*impl_->record, owner.number());
        if (!found || found->levels.empty()) {
            // What was lost and not given back yet can still be looked at.
            found = nullptr;
            for (auto const& one : impl_->record->tenures.acquired())
                if (one->owner_number == owner.number() && one->in(tenure::phase::lost)) found = one;
        }
        if (found) {
            token = found->token;
            confirmed_by = found->confirmed_by;
        }
        return found;
    });
    return mine ? detail::hold_access::view(impl_->core, mine, token, confirmed_by) : hold_view();
}

} // namespace redlatch
