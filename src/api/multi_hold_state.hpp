// The holds of the members, and when they are too few.
#pragma once

#include "api/multi_lock_impl.hpp"

#include <redlatch/hold.hpp>
#include <redlatch/lease_clock.hpp>
#include <redlatch/multi_hold.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace redlatch::detail {

/// Thread-safe.
class multi_hold_state : public std::enable_shared_from_this<multi_hold_state> {
public:
    /// `holds`: one for each member, empty where it is not held. `late`: ends the requests of those that may still join.
    multi_hold_state(std::shared_ptr<multi_lock_impl const> group, std::vector<hold> holds, std::stop_source late);

    multi_lock_impl const& group() const noexcept { return *group_; }
    /// In the child of a fork: the mutex is the parent's, and nothing else may be called.
    bool of_a_parent() const noexcept { return group_->home()->forked(); }
    hold_status status() const;
    lease_clock::time_point valid_until() const;
    std::vector<hold_view> members() const;
    std::stop_token lost();
    /// The minimum hold of all members ends then, and that of those that join later.
    void keep(lease_clock::time_point until);
    /// A member that answered late; it is given back where the others were.
    void join(std::size_t member, hold late);
    /// To be given back; none the second time.
    std::vector<hold> take();

private:
    struct on_lost {
        std::weak_ptr<multi_hold_state> whom;
        void operator()() const noexcept;
    };
    using watch = std::stop_callback<on_lost>;
    using watches = std::list<std::optional<watch>>;
    void watch_members(std::vector<std::stop_token> const& members, watches places) noexcept;
    void look();
    hold_status status_now() const;

    std::shared_ptr<multi_lock_impl const> const group_;
    std::mutex mutable mutex_; // guards what follows
    std::vector<hold> holds_;
    std::stop_source late_;
    std::optional<lease_clock::time_point> kept_until_{};
    bool released_ = false;
    std::stop_source lost_{std::nostopstate}; ///< made for the first who asks
    watches watches_{};
};

struct multi_hold_access {
    static multi_hold make(std::shared_ptr<multi_hold_state> state) { return multi_hold(std::move(state)); }
};

} // namespace redlatch::detail
