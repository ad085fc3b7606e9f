#include "locking/recipes/semaphore.hpp"

#include "locking/recipes/counter_calls.hpp"
#include "locking/recipes/counter_kinds.hpp"

#include <algorithm>

namespace redlatch::locking {
namespace semaphore {
namespace {

using counter_calls::with_record;

wire_call acquire(counter_request const& request) {
    return with_record(scripts::semaphore_acquire, request, {request.name}, {std::to_string(request.amount)});
}

acquire_answer read_acquire(resp::value const& reply) {
    if (!reply.is_integer()) return {};
    if (reply.integer == 0) return {acquire_answer::kind::busy};
    if (reply.integer < 0) return {};
    acquire_answer taken{acquire_answer::kind::acquired};
    taken.left = std::min(reply.integer - 1, most_left);
    return taken;
}

wire_call undo(counter_request const& request) {
    return with_record(scripts::semaphore_undo, request, {request.name},
                       {std::to_string(request.amount), request.publish, request.channel});
}

wire_call add(counter_request const& request, std::string_view only_if_exists) {
    return with_record(scripts::semaphore_release, request, {request.name},
                       {std::to_string(request.amount), request.publish, request.channel, only_if_exists});
}

wire_call remove(counter_request const& request) {
    return with_record(scripts::counter_remove, request, {request.name}, {request.publish, request.channel, ""});
}

} // namespace

wire_call release(counter_request const& request) {
    return add(request, "0");
}

wire_call release_if_exists(counter_request const& request) {
    return add(request, "1");
}

wire_call drain(counter_request const& request) {
    return with_record(scripts::semaphore_drain, request, {request.name}, {});
}

wire_call set(counter_request const& request, std::optional<base::milliseconds> expiry) {
    auto const permits = std::to_string(request.amount);
    return with_record(scripts::counter_set, request, {request.name},
                       {permits, request.publish, request.channel, permits,
                        std::to_string(expiry.value_or(base::milliseconds(0)).count())});
}

} // namespace semaphore

constinit counter_kind const semaphore_kind{
    .kind = "semaphore",
    .channel = semaphore::channel_of,
    .ask = semaphore::acquire,
    .read = semaphore::read_acquire,
    .undo = semaphore::undo,
    .give_back = semaphore::release_if_exists,
    .remove = semaphore::remove,
    .add = semaphore::release,
    .count = counter_calls::count,
    .read_count = counter_calls::read_number,
    .in_line = true,
};

} // namespace redlatch::locking
