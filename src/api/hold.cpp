#include "api/access.hpp"
#include "api/async_call.hpp"
#include "api/stopped_token.hpp"
#include "io/detached_release.hpp"
#include "io/insist.hpp"
#include "io/releasing.hpp"
#include "locking/names.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

namespace redlatch {

using detail::hold_state;
using locking::tenure;

namespace {

void report_failure(io::client_core& core, locking::tenure_ptr const& tenure) {
    core.locked([&](locking::lock_table& table, base::wake_list&) {
        table.note(locking::lock_table::notice::kind::release_failed, tenure);
    });
}

} // namespace

std::error_code detail::give_back(io::client_core& core, locking::tenure_ptr const& tenure, std::uint64_t level,
                                  bool report, std::string* message) {
    if (core.closed()) return errc::lease_lost; // close() has released it
    using patience = io::releasing::patience;
    io::releasing one(core.shared_from_this(), tenure, level, report ? patience::with_others : patience::by_settings);
    io::run_blocking(one);
    if (one.result()) {
        if (message != nullptr) *message = one.message();
        if (report) report_failure(core, tenure);
    }
    return one.result();
}

void detail::abandon(io::client_core& core, locking::tenure_ptr const& tenure, std::uint64_t level) noexcept {
    io::insist([&] {
        core.locked([&](locking::lock_table& table, base::wake_list& woken) {
            table.abandon(tenure, level, lease_clock::now(), woken);
        });
    });
}

void detail::give_back_detached(std::shared_ptr<io::client_core> const& core, locking::tenure_ptr const& tenure,
                                std::uint64_t level) {
    io::detached_release::begin(core, tenure, level);
}

void detail::hold_access::set_minimum_hold(hold const& held, base::instant until) {
    auto const& state = held.state_;
    if (!state || state->core->forked()) return;
    state->core->locked([&](locking::lock_table&, base::wake_list&) {
        locking::lock_table::set_minimum_hold(*state->tenure, state->level, until, lease_clock::now());
    });
}

void detail::hold_access::give_up(hold& held) noexcept {
    io::insist([&] { set_minimum_hold(held, base::instant::min()); });
    held.release_detached();
}

// --- hold_view

hold_view::hold_view(std::shared_ptr<hold_state> state) noexcept : state_(std::move(state)) {}

hold_status hold_view::status() const noexcept {
    if (!state_) return hold_status::none;
    if (state_->core->forked()) return hold_status::lost; // it is the parent's
    if (state_->given_back.load(std::memory_order_acquire)) return hold_status::released;
    auto const& tenure = *state_->tenure;
    switch (tenure.now_in.load(std::memory_order_acquire)) {
    case tenure::phase::lost: return hold_status::lost;
    case tenure::phase::handing_off:
    case tenure::phase::releasing:
    case tenure::phase::ended: return hold_status::released;
    case tenure::phase::acquiring:
    case tenure::phase::held: break;
    }
    if (state_->of_an_earlier_stay()) return hold_status::released;
    if (lease_clock::now() >= tenure.validity()) return hold_status::lost;
    return tenure.suspect.load(std::memory_order_relaxed) ? hold_status::suspect : hold_status::held;
}

hold_view::operator bool() const noexcept {
    auto const now = status();
    return now == hold_status::held || now == hold_status::suspect;
}

void hold_view::ensure_held() const {
    if (*this) return;
    if (!state_) throw error(errc::lease_lost, "this hold is empty: nothing was acquired");
    if (state_->core->forked())
        throw error(errc::lease_lost,
                    "lock " + locking::shown(lock_name())
                        + " is held by the parent of this process and not by this one; acquire it here "
                          "with a client of this process");
    throw error(errc::lease_lost, "the hold of " + owner_id() + " on lock " + locking::shown(lock_name())
                                      + (status() == hold_status::released ? " was released" : " is lost")
                                      + "; stop what it protects");
}

std::stop_token hold_view::lost() const {
    if (!state_) return {};
    if (state_->core->forked()) return detail::stopped_already(); // the mutex is the parent's
    return state_->core->locked([&](locking::lock_table& table, base::wake_list& woken) -> std::stop_token {
        if (state_->of_an_earlier_stay()) return {};
        auto const now = lease_clock::now();
        if (state_->tenure->in(tenure::phase::held) && now >= state_->tenure->validity()) // nobody has noticed yet
            table.lose(state_->tenure, now, woken);
        auto& source = state_->tenure->lost_source;
        if (!source.stop_possible()) {
            source = std::stop_source();
            if (state_->tenure->in(tenure::phase::lost)) source.request_stop(); // nobody can have registered yet
        }
        return source.get_token();
    });
}

lease_clock::time_point hold_view::valid_until() const noexcept {
    if (!state_) return {};
    auto const until = state_->tenure->validity(); // first: it may be held anew by somebody else at any moment
    switch (status()) {
    case hold_status::held:
    case hold_status::suspect: return until;
    case hold_status::lost:
        return state_->core->forked() ? lease_clock::time_point() : std::min(until, lease_clock::now());
    case hold_status::none:
    case hold_status::released: break;
    }
    return {};
}

std::string hold_view::owner_id() const {
    return state_ ? state_->tenure->owner_id().str() : std::string();
}

std::optional<std::uint64_t> hold_view::token() const noexcept {
    if (!state_ || state_->token == 0) return std::nullopt;
    return state_->token;
}

std::optional<int> hold_view::confirmed_by() const noexcept {
    if (!state_ || state_->confirmed_by < 0) return std::nullopt;
    return state_->confirmed_by;
}

std::string const& hold_view::lock_name() const noexcept {
    static std::string const none;
    return state_ ? state_->tenure->record->name : none;
}

// --- hold

hold& hold::operator=(hold&& other) noexcept {
    if (this == &other) return *this;
    hold const before(std::move(*this)); // released at the end of this function
    state_ = std::move(other.state_);
    return *this;
}

hold::~hold() {
    if (!state_ || state_->core->forked()) return;
    if (state_->given_back.load(std::memory_order_acquire)) return;
    if (state_->core->settings().detached_unlock || state_->core->on_own_thread()) {
        release_detached();
        return;
    }
    if (state_->given_back.exchange(true)) return;
    try {
        detail::give_back(*state_->core, state_->tenure, state_->level, true, nullptr);
    } catch (...) { // out of memory: the operation has seen to its end
    }
}

void hold::release() {
    if (!state_) return;
    auto const& core = state_->core;
    if (core->forked())
        throw error(errc::forked, "lock " + locking::shown(lock_name())
                                      + " is held by the parent of this process, which alone can release it");
    if (state_->given_back.load(std::memory_order_acquire)) return;
    if (core->on_own_thread())
        throw error(errc::wrong_thread,
                    "release() would block a thread of the client; use release_detached() or async_release()");
    if (state_->given_back.exchange(true)) return;
    std::string message;
    auto const ec = detail::give_back(*core, state_->tenure, state_->level, false, &message);
    if (!ec) return;
    if (message.empty()) message = "the client was closed, which released lock " + locking::shown(lock_name());
    throw error(static_cast<errc>(ec.value()), message);
}

void hold::release(std::error_code& ec) noexcept {
    ec.clear();
    try {
        release();
    } catch (error const& problem) {
        ec = problem.code();
    } catch (...) {
        ec = std::make_error_code(std::errc::not_enough_memory);
    }
}

void hold::release_detached() noexcept {
    if (!state_ || state_->core->forked() || state_->given_back.exchange(true)) return;
    try {
        detail::give_back_detached(state_->core, state_->tenure, state_->level);
    } catch (...) { // out of memory
        detail::abandon(*state_->core, state_->tenure, state_->level);
    }
}

user_loop const* hold::driven_by() const noexcept {
    return state_ ? state_->core->driven_by() : nullptr;
}

std::optional<outcome> hold::start_release(completion_ptr<>& done) {
    if (!state_) return outcome();
    auto const& core = state_->core;
    if (core->forked()) return outcome(errc::forked, make_error_code(errc::forked).message());
    if (state_->given_back.exchange(true)) return outcome();
    try {
        bool const running = detail::start<io::releasing>(
            core, {}, done,
            [core](io::releasing const& ended, completion_ptr<> completion) {
                detail::tell(*core, std::move(completion), ended.result() ? detail::failure_of(ended) : outcome());
            },
            state_->tenure, state_->level);
        if (running) return std::nullopt;
    } catch (...) {
        detail::abandon(*core, state_->tenure, state_->level); // given back it is
        throw;
    }
    return outcome(errc::lease_lost, "the client was closed, which released lock " + locking::shown(lock_name()));
}

void hold::async_release(executor ex, std::function<void(std::error_code)> handler) {
    detail::must_be_callable(handler);
    if (!state_) {
        // There is no client that could run it; and never inside this call.
        std::thread([where = std::move(ex), handler = std::move(handler)] {
            if (where)
                where([handler] { handler({}); });
            else
                handler({});
        }).detach();
        return;
    }
    auto const core = state_->core;
    detail::with_handler<>(*core, std::move(ex), std::move(handler),
                           [this](completion_ptr<>& done) { return start_release(done); });
}

} // namespace redlatch
