#include "io/replica_lanes.hpp"

#include "io/random_seed.hpp"
#include "locking/replica_demand.hpp"

#include <utility>

namespace redlatch::io {

/// Null: the client closes.
std::shared_ptr<replica_lane> replica_lanes::lane_for(int replicas) {
    std::lock_guard const guard(mutex_);
    if (closed_) return nullptr;
    if (auto const known = lanes_.find(replicas); known != lanes_.end()) return known->second;
    auto settings = settings_;
    settings.seed = random_seed();
    settings.timeout += locking::longest_replica_silence; // so long it may say nothing and be well
    auto fresh = std::make_shared<replica_lane>(loop_, settings, hooks_(), replicas, elsewhere_);
    return lanes_.emplace(replicas, std::move(fresh)).first->second;
}

void replica_lanes::ask(replica_question_ptr const& question) {
    if (auto const lane = lane_for(question->replicas)) return lane->ask(question);
    question->finish(replica_question::end::closed);
}

std::vector<std::shared_ptr<replica_lane>> replica_lanes::all() const {
    std::lock_guard const guard(mutex_);
    std::vector<std::shared_ptr<replica_lane>> found;
    for (auto const& [replicas, lane] : lanes_) found.push_back(lane);
    return found;
}

void replica_lanes::move_to(endpoint const& there, std::string const& reason, bool news) {
    for (auto const& one : all()) one->calls().line().move_to(there, reason, news);
}

void replica_lanes::retire(bool retired) {
    for (auto const& one : all()) one->calls().retire(retired);
}

void replica_lanes::send_away(base::function_ref<bool(std::uint16_t)> gone) {
    for (auto const& one : all()) one->calls().send_away(gone);
}

void replica_lanes::close() {
    {
        std::lock_guard const guard(mutex_);
        closed_ = true;
    }
    for (auto const& one : all()) one->close();
}

std::uint64_t replica_lanes::commands() const {
    std::uint64_t sum = 0;
    for (auto const& one : all()) sum += one->calls().commands();
    return sum;
}

} // namespace redlatch::io
