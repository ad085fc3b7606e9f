// The connections on which one server is asked about its replicas: one for each number of replicas that is waited for, made
// when it is first asked for. Whoever waits for two is not held up by one who waits in vain for five.
#pragma once

#include "io/replica_lane.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::io {

/// Thread-safe.
class replica_lanes {
public:
    using make_hooks = std::function<lane::hooks()>;

    replica_lanes(std::shared_ptr<reactor> loop, lane::settings settings, make_hooks hooks)
        : loop_(std::move(loop)), settings_(std::move(settings)), hooks_(std::move(hooks)) {}

    void ask(replica_question_ptr const& question);

    /// See node.
    void send_elsewhere(replica_lane::other_node elsewhere) { elsewhere_ = std::move(elsewhere); }
    void move_to(endpoint const& there, std::string const& reason, bool news);
    void retire(bool retired);
    void send_away(base::function_ref<bool(std::uint16_t)> gone);
    void close();
    std::uint64_t commands() const;

private:
    std::shared_ptr<replica_lane> lane_for(int replicas);
    std::vector<std::shared_ptr<replica_lane>> all() const;

    std::shared_ptr<reactor> const loop_;
    lane::settings const settings_;
    make_hooks const hooks_;
    replica_lane::other_node elsewhere_{}; ///< never changes once there is a question

    mutable std::mutex mutex_; // guards what follows
    std::map<int, std::shared_ptr<replica_lane>> lanes_;
    bool closed_ = false;
};

} // namespace redlatch::io
