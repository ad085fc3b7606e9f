// What stands behind permits that were taken.
#pragma once

#include "api/counter_impl.hpp"
#include "io/permit_lease.hpp"

#include <redlatch/permit_semaphore.hpp>
#include <redlatch/permits.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace redlatch::detail {

struct permits_state {
    counter_impl of;
    std::shared_ptr<io::permit_lease> lease;
    std::optional<int> confirmed_by{};

    std::string const& ids() const noexcept { return lease->ids(); }
};

struct permits_access {
    static permits make(counter_impl const& impl, io::counter_wait const& ended, leased_permit_options const& options) {
        auto state = std::make_shared<permits_state>();
        state->of = impl;
        state->confirmed_by = ended.confirmed_by();
        auto const latest = options.max_hold ? base::later(ended.taken_at(), *options.max_hold) : base::never;
        state->lease =
            std::make_shared<io::permit_lease>(impl.core, io::permit_lease::terms{.what = impl.what,
                                                                                  .ids = ended.ids(),
                                                                                  .lease = ended.lease(),
                                                                                  .renewed = options.renewed,
                                                                                  .taken_at = ended.taken_at(),
                                                                                  .latest = latest});
        state->lease->begin();
        return permits(std::move(state));
    }
};

/// They were given back: another master may not have heard of it.
void note_departed(counter_impl const& impl, std::string const& ids) noexcept;
/// A release of permits by their ids, all or none. Answers 0: done; n: the n-th is not there.
requested_change<std::int64_t> releasing_by_id(counter_impl const& impl, std::string const& ids);
/// What it answers, of so many. Throws error(bad_reply).
std::int64_t missing_of_released(locking::counter const& semaphore, std::int64_t permits,
                                 io::counter_change const& ended);
/// "releasing 2 permits of permit semaphore 'x'"
std::string releasing_in_words(locking::counter const& semaphore, std::int64_t permits);
/// "permit 0123... of permit semaphore 'x' is not there ...". `position`: from 1.
std::string not_there(counter_impl const& impl, std::string const& ids, std::int64_t position);

} // namespace redlatch::detail
