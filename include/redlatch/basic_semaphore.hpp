// What every number of permits can do that all processes share. How permits are taken and given back is said where the kind of
// semaphore is.
// Wire format: protocol section 7.
#pragma once

#include <redlatch/basic_counter.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/export.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace redlatch {

/// Thread safety, object lifetimes, errors: as of basic_counter.
class REDLATCH_EXPORT basic_semaphore : public basic_counter {
public:
    /// How many there are to be taken; 0: also where it is not set. Below zero after add_permits() has taken some away.
    std::int64_t available_permits();
    void async_available_permits(executor ex, std::function<void(std::error_code, std::int64_t)> handler);
    [[nodiscard]] std::optional<outcome> start_available_permits(completion_ptr<std::int64_t>& done);

    /// Sets a semaphore that is not set; false: it is. `permits`: zero or more. `expiry`: after this time it is not set any
    /// more; none: for ever. At least one millisecond.
    bool try_set_permits(int permits, std::optional<time_span> expiry = {});
    void async_try_set_permits(int permits, std::optional<time_span> expiry, executor ex,
                               std::function<void(std::error_code, bool)> handler);
    [[nodiscard]] std::optional<outcome> start_try_set_permits(int permits, std::optional<time_span> expiry,
                                                               completion_ptr<bool>& done);

    /// More of them, or fewer where `change` is below zero: then there may be fewer than none for a while. An expiry stays.
    void add_permits(int change);
    void async_add_permits(int change, executor ex, std::function<void(std::error_code)> handler);
    [[nodiscard]] std::optional<outcome> start_add_permits(int change, completion_ptr<>& done);

protected:
    explicit basic_semaphore(std::shared_ptr<detail::counter_impl> impl) noexcept : basic_counter(std::move(impl)) {}
};

} // namespace redlatch
