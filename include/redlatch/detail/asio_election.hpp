// Part of redlatch/asio.hpp: elections.
#pragma once

#include <redlatch/counter_options.hpp>
#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/leader_election.hpp>

#include <optional>
#include <utility>

namespace redlatch {

/// Ends with (error, leadership). As leader_election::campaign.
template <class Token> auto async_campaign(leader_election election, campaign_options const& options, Token&& token) {
    return detail::asio_start<detail::plain_result, leadership>(
        std::forward<Token>(token),
        [options](leader_election& asked, completion_ptr<leadership>& done) {
            return asked.start_campaign(options, done);
        },
        std::move(election));
}
template <class Token> auto async_campaign(leader_election election, Token&& token) {
    return async_campaign(std::move(election), campaign_options(), std::forward<Token>(token));
}

/// Ends with (error, std::optional<leadership>). As leader_election::try_campaign.
template <class Token>
auto async_try_campaign(leader_election election, campaign_options const& options, Token&& token) {
    return detail::asio_start<detail::tried_result, leadership>(
        std::forward<Token>(token),
        [options](leader_election& asked, completion_ptr<leadership>& done) {
            return asked.start_try_campaign(options, done);
        },
        std::move(election));
}
template <class Token> auto async_try_campaign(leader_election election, Token&& token) {
    return async_try_campaign(std::move(election), campaign_options(), std::forward<Token>(token));
}

/// Ends with (error). As leadership::resign; the term is taken over. An operation that is never begun resigns all the same.
template <class Token> auto async_resign(leadership&& term, Token&& token) {
    return detail::asio_start<detail::plain_result>(
        std::forward<Token>(token),
        [](leadership& resigned, completion_ptr<>& done) { return resigned.start_resign(done); }, std::move(term));
}

/// Ends with (error, std::optional<leader_info>). As leader_election::leader.
template <class Token> auto async_leader(leader_election election, Token&& token) {
    using answer = std::optional<leader_info>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [](leader_election& asked, completion_ptr<answer>& done) { return asked.start_leader(done); },
        std::move(election));
}

/// Ends with (error, std::optional<leader_info>). As leader_election::wait_for_change.
template <class Token>
auto async_wait_for_change(leader_election election, std::optional<leader_info> last, wait_options const& options,
                           Token&& token) {
    using answer = std::optional<leader_info>;
    return detail::asio_start<detail::plain_result, answer>(
        std::forward<Token>(token),
        [last = std::move(last), options](leader_election& asked, completion_ptr<answer>& done) {
            return asked.start_wait_for_change(last, options, done);
        },
        std::move(election));
}
template <class Token>
auto async_wait_for_change(leader_election election, std::optional<leader_info> last, Token&& token) {
    return async_wait_for_change(std::move(election), std::move(last), wait_options(), std::forward<Token>(token));
}

} // namespace redlatch
