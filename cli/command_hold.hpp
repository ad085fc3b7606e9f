// What a command holds while it runs, and `redlatch hold` until it is told to end: a lock, or permits of a permit semaphore.
#pragma once

#include "report.hpp"

#include <redlatch/hold.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/permits.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace redlatch::cli {

/// What has become of a release. Neither: it was given back.
struct release_end {
    bool lost = false;     ///< before
    std::string problem{}; ///< why it failed, as a message
};

/// Move-only; given back when it is destroyed. Thread safety: as of redlatch::hold.
class command_hold {
public:
    // Either is one, without being named.
    command_hold(redlatch::hold lock) noexcept : what_(std::move(lock)) {} // NOLINT(google-explicit-constructor)
    command_hold(redlatch::permits permits) noexcept
        : what_(std::move(permits)) {} // NOLINT(google-explicit-constructor)

    // As of redlatch::hold.
    hold_status status() const noexcept;
    lease_clock::time_point valid_until() const noexcept;
    std::stop_token lost() const;
    std::optional<std::uint64_t> token() const noexcept;
    std::optional<int> confirmed_by() const noexcept;
    release_end release();

    /// Of the lock or of the semaphore.
    std::string const& name() const noexcept;
    /// "the lock 'x'", or "2 permits of the permit semaphore 'x'"
    std::string shown() const;
    /// The same as the subject of a sentence, in the singular.
    std::string subject() const;
    /// Its name, and the owner of a lock, or the number and the ids of permits.
    std::vector<field> fields() const;
    /// For the environment of the command: what it holds, instead of what a `redlatch run` around this one has said of itself.
    void set_environment() const;

private:
    redlatch::hold const* lock() const noexcept { return std::get_if<redlatch::hold>(&what_); }
    redlatch::permits const* permits() const noexcept { return std::get_if<redlatch::permits>(&what_); }

    std::variant<redlatch::hold, redlatch::permits> what_;
};

/// Of a release that has failed: nobody can say that nothing is held any more.
void say_not_given_back(report const& reporter, std::string const& subject, std::string const& problem,
                        std::vector<field> const& fields);

/// "2 permits of the permit semaphore 'x'"
std::string permits_in_words(std::int64_t permits, std::string const& semaphore);

} // namespace redlatch::cli
