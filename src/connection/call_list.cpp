#include "connection/call_list.hpp"

#include <utility>

namespace redlatch::connection {

void call_list::push_back(call_ptr const& call) noexcept {
    call->listed = call;
    call->before = last_;
    (last_ != nullptr ? last_->behind : first_) = call.get();
    last_ = call.get();
}

call_ptr call_list::remove(call& call) noexcept {
    if (!call.listed) return nullptr;
    (call.before != nullptr ? call.before->behind : first_) = call.behind;
    (call.behind != nullptr ? call.behind->before : last_) = call.before;
    call.before = call.behind = nullptr;
    return std::move(call.listed);
}

} // namespace redlatch::connection
