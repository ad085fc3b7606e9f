// A connection to a Sentinel, one after the other, that tells of failovers.
#pragma once

#include "base/waker.hpp"
#include "connection/sentinel_watch.hpp"
#include "io/lane.hpp"
#include "io/locator.hpp"

#include <redlatch/config.hpp>

#include <atomic>
#include <memory>

namespace redlatch::io {

class sentinel_locator;

class sentinel_watcher final : public base::wakeable, public std::enable_shared_from_this<sentinel_watcher> {
public:
    sentinel_watcher(std::shared_ptr<reactor> loop, config const& settings, std::weak_ptr<sentinel_locator> sentinels,
                     master_locator::on_master tell);
    void begin();
    void close();

    void wake() noexcept override; ///< there is an answer

private:
    class preferred;
    class others;
    void look();
    void on_answer(connection::sentinel_answer const& said);
    lane::settings lane_to(sentinel_locator& sentinels, std::shared_ptr<locator> places) const;
    void begin_asking(sentinel_locator& sentinels);
    void ask_another();
    void on_other_answer(connection::sentinel_answer const& said);
    void follow(connection::sentinel_answer const& said, endpoint const& from);

    std::shared_ptr<reactor> const loop_;
    config const settings_;
    std::weak_ptr<sentinel_locator> const whose_;
    master_locator::on_master const tell_;
    std::shared_ptr<preferred> preferred_{};
    std::shared_ptr<connection::sentinel_watch> traffic_{};
    std::shared_ptr<lane> line_{};
    // Of those that are asked beside it; without a connection, but for the question.
    std::shared_ptr<others> others_{};
    std::shared_ptr<connection::sentinel_watch> other_traffic_{};
    std::shared_ptr<lane> other_line_{};
    std::atomic<bool> closed_{false};
    bool knew_nothing_ = false; ///< the reactor's own
};

} // namespace redlatch::io
