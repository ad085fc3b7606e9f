// What a lock can be asked about, and force_unlock(): one call to the server each, in all forms.
#include "api/access.hpp"
#include "api/lock_view.hpp"
#include "api/question.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/reentrant_lock.hpp>

#include <utility>

namespace redlatch {

using detail::lock_impl;
using detail::question;

namespace {

std::string shown(lock_impl const& of) {
    return "lock " + locking::shown(of.record->name);
}

question<bool> whether_locked(lock_impl const& of) {
    return {resp::command("EXISTS", of.record->name), "asking for " + shown(of), [](io::query const& answered) {
                if (!answered.reply().is_integer())
                    throw error(errc::bad_reply, "the server's answer to EXISTS is not a number");
                return answered.reply().integer != 0;
            }};
}

question<std::optional<duration>> how_long(lock_impl const& of) {
    return {resp::command("PTTL", of.record->name), "asking for the lease of " + shown(of),
            [](io::query const& answered) {
                if (!answered.reply().is_integer())
                    throw error(errc::bad_reply, "the server's answer to PTTL is not a number");
                auto const left = answered.reply().integer;
                return left < 0 ? std::nullopt : std::optional(duration(left));
            }};
}

question<lock_info> who(lock_impl const& of) {
    return {detail::inspect_call(of.record->name), "looking at " + shown(of),
            [name = of.record->name](io::query const& answered) { return detail::to_info(name, answered.reply()); }};
}

question<bool> force_release(std::shared_ptr<lock_impl> const& of) {
    return {detail::force_release_call(*of), "force-releasing " + shown(*of),
            [of](io::query const& answered) { return detail::after_force_release(*of, answered); }};
}

} // namespace

bool reentrant_lock::is_locked() {
    return detail::ask_now(impl_->core, whether_locked(*impl_));
}

std::optional<outcome> reentrant_lock::start_is_locked(completion_ptr<bool>& done) {
    return detail::ask_later(impl_->core, whether_locked(*impl_), done);
}

void reentrant_lock::async_is_locked(executor where, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl_->core, std::move(where), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_is_locked(done); });
}

std::optional<duration> reentrant_lock::remaining_lease() {
    return detail::ask_now(impl_->core, how_long(*impl_));
}

std::optional<outcome> reentrant_lock::start_remaining_lease(completion_ptr<std::optional<duration>>& done) {
    return detail::ask_later(impl_->core, how_long(*impl_), done);
}

void reentrant_lock::async_remaining_lease(executor where,
                                           std::function<void(std::error_code, std::optional<duration>)> handler) {
    using answer = std::optional<duration>;
    detail::with_handler<answer>(*impl_->core, std::move(where), std::move(handler),
                                 [this](completion_ptr<answer>& done) { return start_remaining_lease(done); });
}

lock_info reentrant_lock::inspect() {
    return detail::ask_now(impl_->core, who(*impl_));
}

std::optional<outcome> reentrant_lock::start_inspect(completion_ptr<lock_info>& done) {
    return detail::ask_later(impl_->core, who(*impl_), done);
}

void reentrant_lock::async_inspect(executor where, std::function<void(std::error_code, lock_info)> handler) {
    detail::with_handler<lock_info>(*impl_->core, std::move(where), std::move(handler),
                                    [this](completion_ptr<lock_info>& done) { return start_inspect(done); });
}

bool reentrant_lock::force_unlock() {
    return detail::ask_now(impl_->core, force_release(impl_));
}

std::optional<outcome> reentrant_lock::start_force_unlock(completion_ptr<bool>& done) {
    return detail::ask_later(impl_->core, force_release(impl_), done);
}

void reentrant_lock::async_force_unlock(executor where, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl_->core, std::move(where), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_force_unlock(done); });
}

} // namespace redlatch
