#include "locking/recipes/latch.hpp"

#include "locking/recipes/counter_calls.hpp"
#include "locking/recipes/counter_kinds.hpp"

namespace redlatch::locking {
namespace latch {
namespace {

using counter_calls::with_record;

constexpr std::string_view open = "0"; // whoever waits goes on
constexpr std::string_view closed = "1";

acquire_answer read_count(resp::value const& reply) {
    auto const count = counter_calls::read_number(reply);
    if (!count) return {};
    return {*count > 0 ? acquire_answer::kind::busy : acquire_answer::kind::acquired};
}

wire_call remove(counter_request const& request) {
    return with_record(scripts::counter_remove, request, {request.name}, {request.publish, request.channel, open});
}

} // namespace

std::string channel_of(std::string_view name) {
    return std::string("redisson_countdownlatch__channel__{").append(name).append(1, '}');
}

wire_call set(counter_request const& request) {
    return with_record(scripts::counter_set, request, {request.name},
                       {std::to_string(request.amount), request.publish, request.channel, closed, "0"});
}

wire_call count_down(counter_request const& request) {
    return with_record(scripts::latch_count_down, request, {request.name}, {request.publish, request.channel});
}

} // namespace latch

constinit counter_kind const latch_kind{
    .kind = "count-down latch",
    .channel = latch::channel_of,
    .ask = counter_calls::count,
    .read = latch::read_count,
    .undo = nullptr,
    .give_back = nullptr,
    .remove = latch::remove,
    .add = nullptr,
    .count = counter_calls::count,
    .read_count = counter_calls::read_number,
    .in_line = false,
    .in_vain = "was not counted down to zero",
};

} // namespace redlatch::locking
