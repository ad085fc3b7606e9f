// What is written down of several locks that a worker takes as one: each member is a hold of its own, by a worker with a number
// of its own.
#pragma once

#include "sim/scenario/stage.hpp"

#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace redlatch::sim {

/// Of one job; used on its worker's fiber.
class several_locks {
public:
    several_locks(stage& in, int number, int process, job const& what, std::vector<int> locks);

    /// Nothing is written any more.
    bool over() const { return me_.who->retired; }
    std::vector<int> const& locks() const noexcept { return locks_; }
    void pause();

    /// It asks for all from now on. The options live as long as this.
    acquire_options ask(owner const& who);
    /// What came of that; `taken`: a bit for each lock that it has.
    void end_of_wait(std::error_code ec, std::int64_t taken);
    std::int64_t all() const noexcept { return mask_; }

    /// The whole has been acquired, with these locks: it is held once so many of them are.
    void acquired(std::vector<std::pair<int, hold_view>> const& members, std::size_t needed);
    /// From now on it believes in the hold of this one.
    void believe(int lock, hold_view const& view);
    std::vector<hold_view> const& views() const noexcept { return views_; }

    /// Its owner was told that it entered all of them again; `there`: the server knew of the hold before or after.
    void entered_again(bool there);

    void begin_release();
    void end_release(answer said, std::error_code ec);
    /// As the job wants it, and both are written down.
    void release(multi_hold& mine);
    /// The same; one member that is away, or has forgotten the lock, is no failure: of each of them nothing is told.
    void release_majority(multi_hold& mine);

private:
    std::pair<answer, std::error_code> end(multi_hold& mine);
    using hearing = std::stop_callback<std::function<void()>>;
    fact about(fact::kind what, std::size_t member) const;
    fact about_all(fact::kind what) const;
    moment in_world(lease_clock::time_point until) const;
    moment kept_until(moment since) const;

    stage& in_;
    int const number_;
    int const process_;
    job const& what_;
    actor& me_;
    std::vector<int> const locks_;
    std::int64_t mask_ = 0;
    std::stop_source stop_{};
    moment acquired_ = never;    ///< when the last lock that was needed came to be in its key
    moment acquired_here_{0};    ///< and when the whole was known to be acquired
    std::vector<int> members_{}; ///< the locks that it believes in
    std::vector<hold_view> views_{};
    std::vector<std::list<believed_hold>::iterator> entries_{};
    std::vector<std::unique_ptr<hearing>> heard_{};
};

/// A digest of a job, to choose by.
std::uint64_t digest_of(job const& what);
/// So many of these, in any order, as the digest wants it.
std::vector<int> some_of(std::vector<int> all, std::size_t count, std::uint64_t digest);

} // namespace redlatch::sim
