#include "api/async_call.hpp"
#include "api/joint_release.hpp"
#include "api/multi_hold_state.hpp"
#include "api/stopped_token.hpp"
#include "api/waits.hpp"

#include <redlatch/error.hpp>
#include <redlatch/multi_hold.hpp>

#include <string>
#include <utility>

namespace redlatch {

multi_hold::multi_hold(std::shared_ptr<detail::multi_hold_state> state) noexcept : state_(std::move(state)) {}

multi_hold& multi_hold::operator=(multi_hold&& other) noexcept {
    if (this == &other) return *this;
    multi_hold const before(std::move(*this)); // released at the end of this function
    state_ = std::move(other.state_);
    return *this;
}

multi_hold::~multi_hold() {
    if (!state_ || state_->of_a_parent()) return;
    bool const may_wait = !state_->group().refusal(true); // not on a thread of any member's client
    auto holds = state_->take();
    for (std::size_t i = 0; i < holds.size(); ++i)
        if (!may_wait || i + 1 < holds.size()) holds[i].release_detached();
}

hold_status multi_hold::status() const noexcept {
    if (!state_) return hold_status::none;
    return state_->of_a_parent() ? hold_status::lost : state_->status();
}

multi_hold::operator bool() const noexcept {
    auto const now = status();
    return now == hold_status::held || now == hold_status::suspect;
}

void multi_hold::ensure_held() const {
    auto const now = status();
    if (now == hold_status::held || now == hold_status::suspect) return;
    if (!state_) throw error(errc::lease_lost, "this hold is empty: nothing was acquired");
    auto const& group = state_->group();
    if (state_->of_a_parent())
        throw error(errc::lease_lost,
                    "the " + group.shown()
                        + " is held by the parent of this process and not by this one; acquire it here "
                          "with clients of this process");
    if (now == hold_status::released)
        throw error(errc::lease_lost, "the hold on the " + group.shown() + " was released; stop what it protects");
    throw error(errc::lease_lost, "the hold on the " + group.shown() + " is lost: it needs "
                                      + std::to_string(group.needed) + " of its members, and has "
                                      + std::to_string(members().size()) + "; stop what it protects");
}

std::stop_token multi_hold::lost() const {
    if (!state_) return {};
    return state_->of_a_parent() ? detail::stopped_already() : state_->lost();
}

lease_clock::time_point multi_hold::valid_until() const noexcept {
    return state_ && !state_->of_a_parent() ? state_->valid_until() : lease_clock::time_point();
}

std::vector<hold_view> multi_hold::members() const {
    return state_ && !state_->of_a_parent() ? state_->members() : std::vector<hold_view>();
}

user_loop const* multi_hold::driven_by() const noexcept {
    return state_ ? state_->group().home()->driven_by() : nullptr;
}

void multi_hold::release() {
    if (!state_ || status() == hold_status::released) return;
    auto const& group = state_->group();
    if (auto const refused = group.refusal(true))
        throw error(static_cast<errc>(refused.value()), "the " + group.shown()
                                                            + " was not released: " + refused.message()
                                                            + "; use release_detached() or async_release()");
    auto const work = std::make_shared<detail::joint_release>(state_->take(), group.needed, group.shown());
    work->begin();
    detail::joint_wait wait(group.home(), work, group.time_for_answers());
    io::run_blocking(wait);
    auto const& how = work->result();
    if (how.failed()) detail::fail(how.code(), how.message());
}

void multi_hold::release(std::error_code& ec) noexcept {
    ec.clear();
    try {
        release();
    } catch (std::system_error const& problem) {
        ec = problem.code();
    } catch (...) {
        ec = std::make_error_code(std::errc::not_enough_memory);
    }
}

void multi_hold::release_detached() noexcept {
    if (!state_ || state_->of_a_parent()) return;
    for (auto& one : state_->take()) one.release_detached();
}

std::optional<outcome> multi_hold::start_release(completion_ptr<>& done) {
    if (!state_) return outcome();
    auto const& group = state_->group();
    if (auto const refused = group.refusal(false)) return outcome(refused, refused.message());
    auto holds = state_->take();
    if (holds.empty()) return outcome();
    auto const work = std::make_shared<detail::joint_release>(std::move(holds), group.needed, group.shown());
    auto const carrier = group.carrier();
    bool const running = detail::start<detail::joint_wait>(
        carrier, {}, done,
        [carrier, work](detail::joint_wait&, completion_ptr<> completion) {
            detail::tell(*carrier, std::move(completion), work->result());
        },
        work, group.time_for_answers());
    if (!running) return outcome(errc::lease_lost, "the clients were closed, which released the " + group.shown());
    work->begin();
    return std::nullopt;
}

void multi_hold::async_release(executor ex, std::function<void(std::error_code)> handler) {
    detail::must_be_callable(handler);
    if (!state_) return hold().async_release(std::move(ex), std::move(handler));
    detail::with_handler<>(*state_->group().home(), std::move(ex), std::move(handler),
                           [this](completion_ptr<>& done) { return start_release(done); });
}

} // namespace redlatch
