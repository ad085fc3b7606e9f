#include "connection/call_list.hpp"

#include <utility>

namespace redlatch::connection {

void call_list::push_back(call_ptr const& which) noexcept {
    which->listed = which;
    which->before = last_;
    (last_ != nullptr ? last_->behind : first_) = which.get();
    last_ = which.get();
}

call_ptr call_list::remove(call& which) noexcept {
    if (!which.listed) return nullptr;
    (which.before != nullptr ? which.before->behind : first_) = which.behind;
    (which.behind != nullptr ? which.behind->before : last_) = which.before;
    which.before = which.behind = nullptr;
    return std::move(which.listed);
}

} // namespace redlatch::connection
