#include "api/async_call.hpp"
#include "api/call_owner.hpp"
#include "api/joint_wait.hpp"
#include "api/multi_acquisition.hpp"
#include "api/multi_lock_impl.hpp"
#include "api/waits.hpp"

#include <redlatch/basic_multi_lock.hpp>
#include <redlatch/error.hpp>
#include <redlatch/multi_lock.hpp>
#include <redlatch/red_lock.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <numeric>
#include <set>
#include <utility>

namespace redlatch {

using detail::multi_acquisition;
using detail::multi_lock_impl;

namespace {

using group_ptr = std::shared_ptr<multi_lock_impl>;

struct ended {
    std::error_code code;
    std::string message;
    multi_hold got;
};

/// What is refused before any member is asked; the members check the rest.
outcome check(multi_lock_impl const& group, acquire_options const& options, bool blocking) {
    auto const subject = "the " + group.shown() + " was not acquired: ";
    if (auto const refused = group.refusal(blocking)) return {refused, subject + refused.message()};
    if (options.wait && options.wait->count() < 0)
        return {errc::invalid_argument, subject + "wait must be zero or more"};
    return {};
}

/// Blocks.
ended acquire_group_now(group_ptr const& group, acquire_options const& options, bool for_ever) {
    if (auto const wrong = check(*group, options, true); wrong.failed()) return {wrong.code(), wrong.message(), {}};
    auto const one = std::make_shared<multi_acquisition>(group->for_holds(), options, for_ever);
    detail::joint_wait wait(group->home(), one, one->deadline());
    one->begin();
    try {
        io::run_blocking(wait, options.stop);
    } catch (...) { // nobody waits any more
        one->end_early(errc::cancelled);
        throw;
    }
    auto const& how = one->result();
    return {how.code(), how.failed() ? how.message() : std::string(), one->take()};
}

std::optional<outcome> acquire_group_later(group_ptr const& group, acquire_options const& options, bool for_ever,
                                           completion_ptr<multi_hold>& done) {
    if (auto wrong = check(*group, options, false); wrong.failed()) return wrong;
    auto const subject = [&] { return "the " + group->shown() + " was not acquired: "; };
    auto const carrier = group->carrier();
    if (auto const no_thread = carrier->need_thread()) return outcome(no_thread, subject() + io::no_io_thread);
    auto const one = std::make_shared<multi_acquisition>(group->for_holds(), options, for_ever);
    bool const running = detail::start<detail::joint_wait>(
        carrier, options.stop, done,
        [carrier, one](detail::joint_wait&, completion_ptr<multi_hold> completion) {
            if (completion) detail::tell(*carrier, std::move(completion), one->result(), one->take());
        },
        one, one->deadline());
    if (!running) return outcome(errc::closed, subject() + make_error_code(errc::closed).message());
    one->begin();
    return std::nullopt;
}

} // namespace

basic_multi_lock::basic_multi_lock(group_ptr impl) noexcept : impl_(std::move(impl)) {}

group_ptr const& basic_multi_lock::impl() const {
    if (!impl_) throw error(errc::invalid_argument, "this lock was moved from; use the one that it was moved to");
    return impl_;
}

std::vector<basic_lock> basic_multi_lock::members() const {
    return impl_ ? impl_->members : std::vector<basic_lock>();
}

std::size_t basic_multi_lock::needed() const noexcept {
    return impl_ ? impl_->needed : 0;
}

user_loop const* basic_multi_lock::driven_by() const noexcept {
    return impl_ ? impl_->home()->driven_by() : nullptr;
}

bool basic_multi_lock::is_held(owner const& owner) const noexcept {
    if (!impl_) return false;
    auto const held = std::count_if(impl_->members.begin(), impl_->members.end(),
                                    [&](basic_lock const& one) { return one.is_held(owner); });
    return static_cast<std::size_t>(held) >= impl_->needed;
}

// --- acquire

multi_hold basic_multi_lock::acquire(acquire_options const& options) {
    auto end = acquire_group_now(impl(), options, true);
    if (end.code) detail::fail(end.code, std::move(end.message));
    return std::move(end.got);
}

multi_hold basic_multi_lock::acquire(acquire_options const& options, std::error_code& ec) {
    if (!impl_) return ec = errc::invalid_argument, multi_hold();
    auto end = acquire_group_now(impl_, options, true);
    ec = end.code;
    return std::move(end.got);
}

std::optional<multi_hold> basic_multi_lock::try_acquire(acquire_options const& options) {
    auto end = acquire_group_now(impl(), options, false);
    if (detail::means_no(end.code)) return std::nullopt;
    if (end.code) detail::fail(end.code, std::move(end.message));
    return std::move(end.got);
}

std::optional<multi_hold> basic_multi_lock::try_acquire(acquire_options const& options, std::error_code& ec) {
    if (!impl_) return ec = errc::invalid_argument, std::nullopt;
    auto end = acquire_group_now(impl_, options, false);
    ec = end.code;
    if (ec) return std::nullopt;
    return std::move(end.got);
}

std::optional<outcome> basic_multi_lock::start_acquire(acquire_options const& options,
                                                       completion_ptr<multi_hold>& done) {
    return acquire_group_later(impl(), detail::with_owner_of_its_own(options), true, done);
}

std::optional<outcome> basic_multi_lock::start_try_acquire(acquire_options const& options,
                                                           completion_ptr<multi_hold>& done) {
    return acquire_group_later(impl(), detail::with_owner_of_its_own(options), false, done);
}

void basic_multi_lock::async_acquire(acquire_options const& options, executor ex,
                                     std::function<void(std::error_code, multi_hold)> handler) {
    auto const what = detail::without_thread_as_owner(options);
    detail::with_handler<multi_hold>(*impl()->home(), std::move(ex), std::move(handler),
                                     [&](completion_ptr<multi_hold>& done) { return start_acquire(what, done); });
}

void basic_multi_lock::async_try_acquire(acquire_options const& options, executor ex,
                                         std::function<void(std::error_code, std::optional<multi_hold>)> handler) {
    detail::must_be_callable(handler);
    auto const what = detail::without_thread_as_owner(options);
    auto const unwrapped = [handler = std::move(handler)](std::error_code ec, multi_hold got) {
        handler(ec, ec ? std::nullopt : std::optional<multi_hold>(std::move(got)));
    };
    detail::with_handler<multi_hold>(*impl()->home(), std::move(ex), unwrapped,
                                     [&](completion_ptr<multi_hold>& done) { return start_try_acquire(what, done); });
}

// --- the adapter

void basic_multi_lock::lock() {
    auto got = acquire();
    std::lock_guard const guard(impl_->mutex);
    impl_->taken.emplace(owner::this_thread().number(), std::move(got));
}

bool basic_multi_lock::try_lock() {
    return try_lock_within(std::chrono::nanoseconds::zero());
}

bool basic_multi_lock::try_lock_within(std::chrono::nanoseconds wait) {
    auto got = try_acquire({.wait = std::chrono::ceil<duration>(std::max(wait, std::chrono::nanoseconds::zero()))});
    if (!got) return false;
    std::lock_guard const guard(impl_->mutex);
    impl_->taken.emplace(owner::this_thread().number(), *std::move(got));
    return true;
}

void basic_multi_lock::unlock() {
    auto const& group = impl();
    if (auto const refused = group->refusal(false)) // the mutex may be another thread's of the parent
        throw error(errc::forked, "the " + group->shown() + " was not unlocked: " + refused.message());
    multi_hold last;
    {
        std::lock_guard const guard(group->mutex);
        auto const me = owner::this_thread().number();
        auto const behind = group->taken.upper_bound(me);
        if (behind == group->taken.begin() || std::prev(behind)->first != me)
            throw error(errc::not_owner, "attempt to unlock the " + group->shown()
                                             + ", not locked by the current thread; nothing was changed");
        last = std::move(std::prev(behind)->second);
        group->taken.erase(std::prev(behind));
    }
} // released here

// --- the kinds

multi_lock::multi_lock(std::vector<basic_lock> members, multi_lock_order order)
    : basic_multi_lock([&] {
          auto group = detail::make_multi_lock("multi lock", std::move(members));
          if (order == multi_lock_order::by_name) {
              group->waiting_order.resize(group->members.size());
              std::iota(group->waiting_order.begin(), group->waiting_order.end(), std::size_t{0});
              std::stable_sort(group->waiting_order.begin(), group->waiting_order.end(), [&](auto left, auto right) {
                  auto const by = [&](std::size_t member) {
                      return std::pair(group->members[member].name(),
                                       group->core_of(member).node_of(group->members[member].name()).address());
                  };
                  return by(left) < by(right);
              });
          }
          return group;
      }()) {}

red_lock::red_lock(std::vector<basic_lock> members)
    : basic_multi_lock([&] {
          auto group = detail::make_multi_lock("red lock", std::move(members));
          std::set<io::client_core const*> clients;
          for (std::size_t i = 0; i < group->members.size(); ++i)
              if (!clients.insert(&group->core_of(i)).second)
                  throw error(
                      errc::invalid_argument,
                      "the " + group->shown()
                          + " has two members of one client; give each server a client and a member of its own");
          group->needed = group->members.size() / 2 + 1;
          return group;
      }()) {}

} // namespace redlatch
