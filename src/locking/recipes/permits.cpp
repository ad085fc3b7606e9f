#include "locking/recipes/permits.hpp"

#include "locking/names.hpp"
#include "locking/recipes/counter_calls.hpp"
#include "locking/recipes/counter_kinds.hpp"
#include "locking/recipes/semaphore.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace redlatch::locking {
namespace permits {
namespace {

using counter_calls::with_record;

enum class record { with, without };

/// The ids stand behind all other arguments.
wire_call with_ids(script const& program, counter_request const& request, record marked,
                   std::vector<std::string_view> arguments) {
    auto const timeouts = timeouts_of(request.name);
    std::vector<std::string_view> keys{request.name, timeouts};
    if (marked == record::with) keys.push_back(request.record);
    for (auto const id : counter_calls::each_id(request.ids)) arguments.push_back(id);
    return script_call(program, keys, arguments);
}

wire_call acquire(counter_request const& request) {
    return with_ids(scripts::permit_acquire, request, record::with,
                    {request.publish, request.channel, std::to_string(request.lease.count())});
}

acquire_answer read_acquire(resp::value const& reply) {
    if (reply.is_nil()) return {acquire_answer::kind::acquired};
    bool const taken = reply.is_array() && reply.items.size() == 2 && reply.items[0].is_integer();
    auto const& next_end = taken ? reply.items[1] : reply;
    if (!next_end.is_integer() || next_end.integer < -1 || next_end.integer == 0) return {};
    if (taken && reply.items[0].integer < 0) return {};
    acquire_answer answer{taken ? acquire_answer::kind::acquired : acquire_answer::kind::busy};
    if (taken) answer.left = std::min(reply.items[0].integer, most_left);
    if (next_end.integer > 0) answer.retry_after = base::countable(next_end.integer);
    return answer;
}

wire_call undo(counter_request const& request) {
    return with_ids(scripts::permit_release, request, record::with,
                    {request.publish, request.channel, std::to_string(record_lifetime.count())});
}

wire_call bar_copies(counter_request const& request) {
    return command_call("SET", request.record, {"0", "PX", std::to_string(record_lifetime.count())});
}

wire_call set(counter_request const& request, std::string_view as_total) {
    auto const timeouts = timeouts_of(request.name);
    return with_record(scripts::permit_set, request, {request.name, timeouts},
                       {request.publish, request.channel, std::to_string(request.amount), as_total});
}

wire_call add(counter_request const& request) {
    return set(request, "0");
}

wire_call remove(counter_request const& request) {
    auto const timeouts = timeouts_of(request.name);
    return with_record(scripts::permit_remove, request, {request.name, timeouts}, {});
}

std::optional<std::int64_t> read_available(resp::value const& reply) {
    auto const seen = read_sight(reply);
    return seen ? std::optional(seen->available) : std::nullopt;
}

} // namespace

std::string timeouts_of(std::string_view name) {
    return read_hold_prefix(name) + "timeout";
}

wire_call release(counter_request const& request) {
    return with_ids(scripts::permit_release, request, record::without,
                    {request.publish, request.channel, request.held ? "1" : "0"});
}

std::optional<permit_release_answer> read_release(resp::value const& reply) {
    if (!reply.is_integer()) return std::nullopt;
    if (reply.integer > 0) return permit_release_answer{.announced = reply.integer != done_silently};
    if (reply.integer == 0) return permit_release_answer{.missing = 1, .none_there = true};
    if (reply.integer == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    return permit_release_answer{.missing = -reply.integer};
}

wire_call set_lease(counter_request const& request) {
    return with_ids(scripts::permit_lease, request, record::without,
                    {request.publish, request.channel, std::to_string(request.lease.count())});
}

namespace {

wire_call renew(counter_request const& request) {
    auto const timeouts = timeouts_of(request.name);
    auto const lease = std::to_string(request.lease.count());
    auto arguments = counter_calls::each_id(request.ids);
    arguments.insert(arguments.begin(), lease);
    return script_call(scripts::permit_renew, std::array{std::string_view(timeouts)}, arguments);
}

} // namespace

std::optional<std::vector<std::int64_t>> read_set_lease(resp::value const& reply, std::size_t ids) {
    if (reply.type != resp::value::kind::array || reply.items.size() > ids) return std::nullopt;
    std::vector<std::int64_t> missing;
    for (auto const& one : reply.items) {
        if (!one.is_integer() || one.integer < 1 || one.integer > static_cast<std::int64_t>(ids)) return std::nullopt;
        missing.push_back(one.integer);
    }
    return missing;
}

wire_call set_total(counter_request const& request) {
    return set(request, "1");
}

wire_call look(counter_request const& request) {
    return with_ids(scripts::permit_look, request, record::without, {request.publish, request.channel});
}

std::optional<sight> read_sight(resp::value const& reply) {
    constexpr std::size_t parts = 4;
    if (reply.type != resp::value::kind::array || reply.items.size() != parts) return std::nullopt;
    for (auto const& one : reply.items)
        if (!one.is_integer()) return std::nullopt;
    auto const left = reply.items[2].integer;
    if (reply.items[1].integer < 0 || left < -2) return std::nullopt;
    sight seen{.available = reply.items[0].integer,
               .taken = reply.items[1].integer,
               .is_set = reply.items[3].integer == 1,
               .found = left != -2};
    if (left >= 0) seen.lease = base::milliseconds(left);
    return seen;
}

} // namespace permits

constinit counter_kind const permit_kind{
    .kind = "permit semaphore",
    .channel = semaphore::channel_of,
    .key_beside = permits::timeouts_of,
    .ask = permits::acquire,
    .read = permits::read_acquire,
    .undo = permits::undo,
    .give_back = permits::undo,
    .bar_copies = permits::bar_copies,
    .renew = permits::renew,
    .read_renewal = permits::read_set_lease,
    .remove = permits::remove,
    .add = permits::add,
    .count = permits::look,
    .read_count = permits::read_available,
    .in_line = true,
};

} // namespace redlatch::locking
