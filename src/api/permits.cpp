#include "locking/recipes/permits.hpp"

#include "api/both_forms.hpp"
#include "api/permit_ids.hpp"
#include "api/permits_state.hpp"
#include "api/stopped_token.hpp"
#include "io/give_back.hpp"
#include "io/insist.hpp"
#include "locking/names.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <utility>

namespace redlatch {

void detail::note_departed(counter_impl const& impl, std::string const& ids) noexcept {
    auto& all = impl.core->permits_held();
    if (!all.remembers_departures()) return;
    io::insist([&] {
        auto request = impl.what->request();
        request.ids = ids;
        request.held = false;
        all.on_departed(impl.what, locking::permits::release(request), lease_clock::now());
    });
}

using detail::permits_state;

namespace {

/// Whatever is there of them goes back in the background; done twice it changes nothing more.
void give_permits_back(permits_state const& state) {
    auto const& impl = state.of;
    auto const record = locking::request_record(
        impl.what->name, detail::shown_ids(state.ids().substr(0, locking::taken_id_size)).front());
    auto request = impl.what->request();
    request.record = record;
    request.ids = state.ids();
    io::give_back(impl.core, *impl.what, impl.what->how->undo(request), true);
    detail::note_departed(impl, state.ids());
}

std::int64_t count_of(permits_state const& state) {
    return static_cast<std::int64_t>(detail::number_of_ids(state.ids()));
}

enum class patience { by_settings, with_others };

io::counter_change::request release_of(permits_state const& state, patience grace = patience::by_settings) {
    auto const& what = state.of.what;
    auto request = what->request();
    request.amount = count_of(state);
    request.ids = state.ids();
    request.held = true;
    auto const answer_at = base::later(lease_clock::now(), state.of.core->settings().timeout);
    io::counter_change::request order{.call = locking::permits::release(request),
                                      .repeatable = true,
                                      .kind = what->how->kind,
                                      .deadline = std::min(answer_at, state.lease->valid_until()),
                                      .counter = what,
                                      .amount = request.amount,
                                      .in_words = detail::releasing_in_words};
    detail::make_release(order, request.amount);
    order.with_others = grace == patience::with_others;
    return order;
}

/// What has come of it. What may still be there is given back in the background.
outcome end_of_release(permits_state const& state, io::counter_change const& ended) {
    outcome how;
    if (ended.result()) {
        how = outcome(ended.result(), ended.message());
    } else {
        try {
            auto const missing = detail::missing_of_released(*state.of.what, count_of(state), ended);
            if (missing == 0) detail::note_departed(state.of, state.ids());
            if (missing > 0) how = outcome(errc::lease_lost, detail::not_there(state.of, state.ids(), missing));
        } catch (error const& problem) {
            how = outcome(problem.code(), problem.what());
        }
    }
    bool const goes_on = how.code() == errc::outcome_unknown || how.code() == errc::disconnected
                         || how.code() == errc::bad_reply || how.code() == errc::lease_lost;
    if (goes_on && !state.of.core->closed()) io::insist([&] { give_permits_back(state); });
    return how;
}

/// Blocks. They are given back whatever happens.
outcome release_now(permits_state const& state, patience grace) {
    try {
        io::counter_change one(state.of.core, release_of(state, grace));
        io::run_blocking(one);
        return end_of_release(state, one);
    } catch (...) { // no memory
        io::insist([&] { give_permits_back(state); });
        throw;
    }
}

/// Their lease may have been prolonged, by a renewal that came too late for their holder or by their ids, and of several only
/// one may be gone: nobody has them now.
outcome end_of_lost(permits_state const& state) {
    if (!state.of.core->closed()) io::insist([&] { give_permits_back(state); });
    return {errc::lease_lost,
            detail::permits_in_words(*state.of.what, count_of(state))
                + " were lost: their lease or their longest hold is over, or one of them was released by its id; what "
                  "is still taken of them is given back now; stop what they protect"};
}

/// Blocks, unless they have ended; throws error.
void give_back(permits_state const& state, patience grace) {
    if (state.lease->ended()) return;
    if (auto const refused = state.of.core->refusal(true))
        throw error(static_cast<errc>(refused.value()),
                    "releasing permits of " + state.of.shown() + ": " + refused.message());
    if (!state.lease->end()) return;
    auto const how = state.lease->is_lost(lease_clock::now()) ? end_of_lost(state) : release_now(state, grace);
    if (how.failed()) throw error(static_cast<errc>(how.code().value()), how.message());
}

} // namespace

permits::permits(std::shared_ptr<permits_state> state) noexcept : state_(std::move(state)) {}

permits& permits::operator=(permits&& other) noexcept {
    if (this == &other) return *this;
    permits const before(std::move(*this)); // given back at the end of this function
    state_ = std::move(other.state_);
    return *this;
}

hold_status permits::status() const noexcept {
    if (!state_) return hold_status::none;
    if (state_->of.core->forked()) return hold_status::lost; // they are the parent's
    if (state_->lease->ended()) return hold_status::released;
    return state_->lease->is_lost(lease_clock::now()) ? hold_status::lost : hold_status::held;
}

lease_clock::time_point permits::valid_until() const noexcept {
    auto const now = status();
    if (now != hold_status::held && (now != hold_status::lost || state_->of.core->forked())) return {};
    return state_->lease->valid_until();
}

std::stop_token permits::lost() const {
    if (!state_) return {};
    if (state_->of.core->forked()) return detail::stopped_already(); // they are the parent's
    state_->lease->watch();
    return status() == hold_status::lost ? detail::stopped_already() : state_->lease->lost_token();
}

std::vector<std::string> permits::ids() const {
    return state_ ? detail::shown_ids(state_->ids()) : std::vector<std::string>();
}

std::optional<int> permits::confirmed_by() const noexcept {
    return state_ ? state_->confirmed_by : std::nullopt;
}

std::string const& permits::semaphore_name() const noexcept {
    static std::string const none;
    return state_ ? state_->of.what->name : none;
}

user_loop const* permits::driven_by() const noexcept {
    return state_ ? state_->of.core->driven_by() : nullptr;
}

// --- the end

permits::~permits() {
    if (!state_ || state_->of.core->forked() || state_->of.core->closed()) return;
    auto& core = *state_->of.core;
    if (state_->lease->ended()) return;
    if (core.settings().detached_unlock || core.on_own_thread()) {
        release_detached();
        return;
    }
    try {
        give_back(*state_, patience::with_others);
    } catch (std::exception const& problem) {
        io::insist([&] {
            core.tell({.what = event::kind::release_failed, .lock_name = semaphore_name(), .message = problem.what()});
        });
    } catch (...) { // of no kind that is known
    }
}

void permits::release() {
    if (state_) give_back(*state_, patience::by_settings);
}

void permits::release(std::error_code& ec) noexcept {
    ec.clear();
    try {
        release();
    } catch (std::system_error const& problem) {
        ec = problem.code();
    } catch (...) {
        ec = std::make_error_code(std::errc::not_enough_memory);
    }
}

void permits::release_detached() noexcept {
    if (!state_ || state_->of.core->forked() || state_->of.core->closed()) return;
    if (!state_->lease->end()) return;
    io::insist([this] { give_permits_back(*state_); });
}

std::optional<outcome> permits::start_release(completion_ptr<>& done) {
    if (!state_) return outcome();
    auto const& core = state_->of.core;
    if (auto const refused = core->refusal(false))
        return outcome(refused, "releasing permits of " + state_->of.shown() + ": " + refused.message());
    if (!state_->lease->end()) return outcome();
    if (state_->lease->is_lost(lease_clock::now())) return end_of_lost(*state_);
    try {
        bool const running = detail::start<io::counter_change>(
            core, {}, done,
            [state = state_](io::counter_change const& ended, completion_ptr<> completion) {
                detail::tell(*state->of.core, std::move(completion), end_of_release(*state, ended));
            },
            release_of(*state_));
        if (running) return std::nullopt;
    } catch (...) {
        io::insist([this] { give_permits_back(*state_); }); // given back they are
        throw;
    }
    return outcome(errc::closed, "releasing permits of " + state_->of.shown() + ": the client was closed");
}

void permits::async_release(executor ex, std::function<void(std::error_code)> handler) {
    detail::must_be_callable(handler);
    if (!state_) throw error(errc::invalid_argument, "there are no permits here to be released");
    auto const core = state_->of.core;
    detail::with_handler<>(*core, std::move(ex), std::move(handler),
                           [this](completion_ptr<>& done) { return start_release(done); });
}

std::vector<std::string> permits::detach() {
    if (!state_ || state_->of.core->forked()) return {}; // they are the parent's
    auto out = ids();
    if (!state_->lease->end()) return {};
    return out;
}

} // namespace redlatch
