#include "locking/recipes/semaphore.hpp"

#include "locking/names.hpp"
#include "locking/recipes/counter_calls.hpp"

#include <algorithm>

namespace redlatch::locking {
namespace semaphore {
namespace {

using counter_calls::with_record;

wire_call acquire(counter_request const& what) {
    return with_record(scripts::semaphore_acquire, what, {what.name}, {std::to_string(what.amount)});
}

acquire_answer read_acquire(resp::value const& reply) {
    if (!reply.is_integer()) return {};
    if (reply.integer == 0) return {acquire_answer::kind::busy};
    if (reply.integer < 0) return {};
    acquire_answer taken{acquire_answer::kind::acquired};
    taken.left = std::min(reply.integer - 1, most_left);
    return taken;
}

wire_call undo(counter_request const& what) {
    return with_record(scripts::semaphore_undo, what, {what.name},
                       {std::to_string(what.amount), what.publish, what.channel});
}

wire_call add(counter_request const& what, std::string_view only_if_exists) {
    return with_record(scripts::semaphore_release, what, {what.name},
                       {std::to_string(what.amount), what.publish, what.channel, only_if_exists});
}

wire_call remove(counter_request const& what) {
    return with_record(scripts::counter_remove, what, {what.name}, {what.publish, what.channel, ""});
}

} // namespace

wire_call release(counter_request const& what) {
    return add(what, "0");
}

wire_call release_if_exists(counter_request const& what) {
    return add(what, "1");
}

wire_call drain(counter_request const& what) {
    return with_record(scripts::semaphore_drain, what, {what.name}, {});
}

wire_call set(counter_request const& what, std::optional<base::milliseconds> expiry) {
    auto const permits = std::to_string(what.amount);
    return with_record(
        scripts::counter_set, what, {what.name},
        {permits, what.publish, what.channel, permits, std::to_string(expiry.value_or(base::milliseconds(0)).count())});
}

} // namespace semaphore

constinit counter_kind const semaphore_kind{
    .kind = "semaphore",
    .channel = semaphore_channel,
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
