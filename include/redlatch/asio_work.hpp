// Coroutines that end when what they need is lost: work under a lock, and work of a leader.
//
//     boost::asio::awaitable<void> report(redlatch::reentrant_lock lock) {
//         redlatch::hold held = co_await redlatch::async_acquire(lock, boost::asio::use_awaitable);
//         auto work = write_report();
//         auto whole = redlatch::run_while_held(held, std::move(work));
//         co_await std::move(whole);                    // throws error(lease_lost), or what the work throws
//         co_await redlatch::async_release(std::move(held), boost::asio::use_awaitable);
//     }
//
//     auto leading = redlatch::async_run_as_leader(election, [](redlatch::leadership& term) { return serve(term); });
//     redlatch::term_end const end = co_await std::move(leading);
//
// Both end the work by cancelling it (cancellation_type::all), and wait until it has ended: an operation that ignores
// cancellation is waited for. Link redlatch::asio. What is moved into an operand of co_await has a name here: g++ 12 destroys
// temporaries there twice (redlatch/asio.hpp).
#pragma once

#include <redlatch/asio.hpp>
#include <redlatch/error.hpp>
#include <redlatch/leader_election.hpp>

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <exception>
#include <utility>

namespace redlatch {
namespace detail {

inline void throw_unless_held(hold_status status) {
    if (status == hold_status::lost)
        throw error(errc::lease_lost, "the work was ended: what it needs is lost, and others may have it");
    if (status != hold_status::held && status != hold_status::suspect)
        throw error(errc::not_owner, "nothing is held under which the work could run");
}

inline boost::asio::awaitable<void> run_until_lost(watched_loss loss, boost::asio::awaitable<void> work) {
    // Looked at here, for the work begins before the wait does.
    throw_unless_held(loss.lost.stop_requested() ? hold_status::lost : loss.status);
    auto const executor = co_await boost::asio::this_coro::executor;
    auto group = boost::asio::experimental::make_parallel_group(
        boost::asio::co_spawn(executor, std::move(work), boost::asio::deferred),
        // Where the work runs: it is cancelled there, and goes with that context.
        wait_until_lost(std::move(loss), boost::asio::bind_executor(executor, boost::asio::deferred)));
    auto both = group.async_wait(boost::asio::experimental::wait_for_one(), boost::asio::use_awaitable);
    auto const [order, of_work, of_wait] = co_await std::move(both);
    bool const was_lost = order[0] != 0 && !of_wait;
    if (was_lost) throw_unless_held(hold_status::lost);
    if (of_work) std::rethrow_exception(of_work);
}

} // namespace detail

/// Runs `work` on the executor of the coroutine that awaits this, until it ends or `held` is lost, when it is cancelled. Throws
/// what `work` throws; error(lease_lost) where it was lost before the work had ended; error(not_owner), and the work is not
/// begun, where nothing is held. No round trip.
///
/// Releases nothing, and a release does not end the work: keep `held` until this has ended, for its destructor releases it.
/// Cancellation is passed on to the work.
template <detail::can_be_lost Held>
boost::asio::awaitable<void> run_while_held(Held const& held, boost::asio::awaitable<void> work) {
    return detail::run_until_lost(detail::watched_loss(held), std::move(work));
}

/// leader_election::run_as_leader as a coroutine: campaigns, runs `work(term)`, an awaitable<void>, while this candidate leads,
/// cancels it when the term is lost, and resigns when it returns. Where it throws while it leads, it resigns without waiting
/// for that, and what the work throws comes out; what it throws after a loss is dropped. With lead_options::again it campaigns
/// again after a loss. lead_options::campaign.stop ends a wait, and then the result is term_end::stopped; a term goes on until
/// the work returns.
/// Throws as leader_election::campaign; error(cancelled) where a campaign was cancelled through the handler's slot.
template <class Work>
boost::asio::awaitable<term_end> async_run_as_leader(leader_election election, Work work, lead_options options = {}) {
    auto const& stop = options.campaign.stop;
    for (;;) {
        leadership term;
        try {
            auto campaign = async_campaign(election, options.campaign, boost::asio::use_awaitable);
            term = co_await std::move(campaign);
        } catch (error const& problem) {
            if (problem.reason() != errc::cancelled || !stop.stop_requested()) throw;
            co_return term_end::stopped;
        }
        try {
            auto job = work(term);
            auto whole = run_while_held(term, std::move(job));
            co_await std::move(whole);
        } catch (...) {
            if (term.status() != hold_status::lost) {
                term.resign_detached();
                throw;
            }
        }
        if (term.status() == hold_status::released) co_return term_end::finished; // by the work
        auto const state = co_await boost::asio::this_coro::cancellation_state;
        if (term && state.cancelled() != boost::asio::cancellation_type::none) { // nothing can be awaited any more
            term.resign_detached();
            co_return term_end::finished;
        }
        if (term) {
            boost::system::error_code ended;
            auto token = boost::asio::redirect_error(boost::asio::use_awaitable, ended);
            auto resignation = async_resign(std::move(term), token);
            co_await std::move(resignation);
            if (ended != make_error_code(errc::lease_lost)) co_return term_end::finished;
        }
        if (stop.stop_requested()) co_return term_end::stopped;
        if (!options.again) co_return term_end::lost;
    }
}

} // namespace redlatch
