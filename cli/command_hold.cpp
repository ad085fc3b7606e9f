#include "command_hold.hpp"

#include "holder_watch.hpp"
#include "permit_request.hpp"

#include <redlatch/error.hpp>

#include <cstdlib>
#include <new>
#include <string_view>
#include <system_error>

namespace redlatch::cli {
namespace {

std::string joined(std::vector<std::string> const& words) {
    std::string result;
    for (auto const& word : words) result += (result.empty() ? "" : " ") + word;
    return result;
}

} // namespace

hold_status command_hold::status() const noexcept {
    return std::visit([](auto const& held) { return held.status(); }, what_);
}

lease_clock::time_point command_hold::valid_until() const noexcept {
    return std::visit([](auto const& held) { return held.valid_until(); }, what_);
}

std::stop_token command_hold::lost() const {
    return std::visit([](auto const& held) { return held.lost(); }, what_);
}

std::optional<int> command_hold::confirmed_by() const noexcept {
    return std::visit([](auto const& held) { return held.confirmed_by(); }, what_);
}

std::optional<std::uint64_t> command_hold::token() const noexcept {
    return lock() != nullptr ? lock()->token() : std::nullopt;
}

release_end command_hold::release() {
    try {
        std::visit([](auto& held) { held.release(); }, what_);
        return {};
    } catch (std::system_error const& problem) {
        return {.lost = problem.code() == errc::lease_lost, .problem = problem.what()};
    } catch (std::bad_alloc const&) {
        return {.problem = "there is not enough memory"};
    }
}

std::string const& command_hold::name() const noexcept {
    return lock() != nullptr ? lock()->lock_name() : permits()->semaphore_name();
}

std::string command_hold::shown() const {
    if (lock() != nullptr) return "the lock '" + name() + "'";
    return permits_in_words(static_cast<std::int64_t>(permits()->ids().size()), name());
}

std::string command_hold::subject() const {
    return lock() != nullptr ? shown() : "the hold of " + shown();
}

std::vector<field> command_hold::fields() const {
    if (lock() != nullptr) return {{"name", name()}, {"owner", lock()->owner_id()}};
    auto const ids = permits()->ids();
    return {{"name", name()}, {"permits", static_cast<std::int64_t>(ids.size())}, {"ids", joined(ids)}};
}

void command_hold::set_environment() const {
    for (char const* const of_another : {"REDLATCH_LOCK", "REDLATCH_OWNER", "REDLATCH_TOKEN", "REDLATCH_SEMAPHORE"})
        ::unsetenv(of_another);
    if (lock() != nullptr) {
        ::setenv("REDLATCH_LOCK", name().c_str(), 1);
        ::setenv("REDLATCH_OWNER", lock()->owner_id().c_str(), 1);
        ::setenv(owners_variable, owners_with(lock()->owner_id()).c_str(), 1);
        if (auto const number = token()) ::setenv("REDLATCH_TOKEN", std::to_string(*number).c_str(), 1);
    } else {
        ::setenv("REDLATCH_SEMAPHORE", name().c_str(), 1);
        ::setenv(permits_variable, permits_with(joined(permits()->ids())).c_str(), 1);
    }
}

void say_not_given_back(report const& reporter, std::string const& subject, std::string const& problem,
                        std::vector<field> const& fields) {
    std::string_view reason = problem;
    std::string_view const in_background =
        "; the client goes on releasing in the background"; // which ends with the tool
    if (reason.ends_with(in_background)) reason.remove_suffix(in_background.size());
    reporter.problem("release_failed",
                     subject + " may still be held, until its lease ends at the latest: " + std::string(reason),
                     fields);
}

std::string permits_in_words(std::int64_t permits, std::string const& semaphore) {
    return std::to_string(permits) + (permits == 1 ? " permit" : " permits") + " of the permit semaphore '" + semaphore
           + "'";
}

} // namespace redlatch::cli
