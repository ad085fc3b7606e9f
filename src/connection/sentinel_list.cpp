#include "connection/sentinel_list.hpp"

#include <algorithm>
#include <utility>

namespace redlatch::connection {
namespace {

bool contains(std::vector<host_and_port> const& all, host_and_port const& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

sentinel_list::sentinel_list(std::vector<host_and_port> configured) : configured_(std::move(configured)) {
    for (auto const& one : configured_)
        if (!contains(order_, one)) order_.push_back(one);
}

void sentinel_list::on_answer(host_and_port const& sentinel) {
    auto const found = std::find(order_.begin(), order_.end(), sentinel);
    if (found != order_.end()) std::rotate(order_.begin(), found, found + 1);
}

void sentinel_list::on_failure(host_and_port const& sentinel) {
    auto const found = std::find(order_.begin(), order_.end(), sentinel);
    if (found != order_.end()) std::rotate(found, found + 1, order_.end());
}

void sentinel_list::on_others(std::vector<host_and_port> const& others, host_and_port const& by) {
    std::erase_if(order_, [&](host_and_port const& one) {
        return one != by && !contains(configured_, one) && !contains(others, one);
    });
    for (auto const& one : others)
        if (!contains(order_, one)) order_.push_back(one);
}

} // namespace redlatch::connection
