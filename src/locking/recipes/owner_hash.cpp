#include "locking/recipes/owner_hash.hpp"

#include "connection/server_error.hpp"
#include "locking/dumped_hash.hpp"
#include "locking/names.hpp"
#include "locking/recipes/tokens.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace redlatch::locking::owner_hash {
namespace {

acquire_answer read_left(resp::value const& left) {
    if (!left.is_integer() || left.integer < -1) return {};
    if (left.integer == -1) return {acquire_answer::kind::busy};
    return {.what = acquire_answer::kind::busy, .retry_after = base::countable(left.integer)};
}

} // namespace

wire_call acquire(call_context const& context) {
    if (context.fencing) return tokens::acquire(context);
    auto const lease = std::to_string(context.lease.count());
    if (!context.count_listeners) return script_call(scripts::lock_acquire, {context.name}, {lease, context.owner_id});
    if (context.publish == publish_in_shard_command)
        return script_call(scripts::lock_acquire, {context.name},
                           {lease, context.owner_id, context.channel(), count_in_shard});
    return script_call(scripts::lock_acquire, {context.name}, {lease, context.owner_id, context.channel()});
}

/// An array of one is the token; what is said of a busy lock is a number or an array of two.
acquire_answer read_acquire(resp::value const& reply) {
    if (reply.is_nil()) return {acquire_answer::kind::acquired};
    if (!reply.is_array()) return read_left(reply);
    if (auto const token = tokens::read(reply)) return {.what = acquire_answer::kind::acquired, .token = token};
    if (reply.items.size() != 2) return {};
    auto const& count = reply.items[1];
    if (!count.is_error() && (!count.is_integer() || count.integer < 0)) return {};
    auto answer = read_left(reply.items[0]);
    if (answer.what != acquire_answer::kind::busy) return answer;
    if (count.is_error())
        answer.count_refused = count.text;
    else
        answer.listeners = count.integer;
    return answer;
}

wire_call set_count(call_context const& context, int count) {
    if (context.fencing) return tokens::reenter(context, count);
    return script_call(scripts::lock_set_count, {context.name},
                       {std::to_string(context.lease.count()), context.owner_id, std::to_string(count)});
}

count_reply read_count(resp::value const& reply) {
    if (auto const token = tokens::read(reply)) return {count_answer::written, token};
    if (!reply.is_integer()) return {};
    if (reply.integer == 0) return {count_answer::not_held};
    return {reply.integer == 1 ? count_answer::written : count_answer::not_understood};
}

namespace {

wire_call release_and_keep(call_context const& context) {
    auto const kept = kept_owner(context.owner_id);
    auto const kept_for = std::to_string(context.kept_for.count());
    if (!context.has_channel())
        return script_call(scripts::lock_release, {context.name}, {context.owner_id, "", "", "", kept_for, kept});
    return script_call(scripts::lock_release, {context.name},
                       {context.owner_id, context.publish, context.channel(), context.message, kept_for, kept});
}

} // namespace

wire_call release(call_context const& context) {
    if (context.kept_for.count() > 0) return release_and_keep(context);
    if (!context.has_channel()) return script_call(scripts::lock_release, {context.name}, {context.owner_id});
    if (context.message == unlock_message)
        return script_call(scripts::lock_release, {context.name},
                           {context.owner_id, context.publish, context.channel()});
    return script_call(scripts::lock_release, {context.name},
                       {context.owner_id, context.publish, context.channel(), context.message});
}

release_answer read_release(resp::value const& reply) {
    using kind = release_answer::kind;
    if (!reply.is_integer() || reply.integer < -1) return {};
    if (reply.integer == -1) return {kind::released_silently};
    if (reply.integer == 0) return {kind::not_held};
    return {kind::released, reply.integer - 1};
}

wire_call force_release(call_context const& context) {
    if (!context.has_channel()) return script_call(scripts::lock_force_release, {context.name}, {});
    return script_call(scripts::lock_force_release, {context.name}, {context.publish, context.channel()});
}

wire_call is_held(call_context const& context) {
    return command_call("EXISTS", context.name);
}

std::optional<bool> read_is_held(resp::value const& reply) {
    return reply.is_integer() ? std::optional(reply.integer != 0) : std::nullopt;
}

wire_call lease_left(call_context const& context) {
    return command_call("PTTL", context.name);
}

// --- renewal

namespace {

wire_call compose_renewal(std::span<renewed_hold const> holds, base::milliseconds lease) {
    auto const lease_text = std::to_string(lease.count());
    std::vector<std::string_view> keys;
    std::vector<std::string_view> arguments{lease_text};
    keys.reserve(holds.size());
    arguments.reserve(holds.size() + 1);
    for (auto const& hold : holds) {
        keys.push_back(hold.name);
        arguments.push_back(hold.owner_id);
    }
    return script_call(scripts::lock_renew, keys, arguments);
}

} // namespace

std::optional<std::vector<std::int64_t>> read_renewal(resp::value const& reply) {
    if (!reply.is_array()) return std::nullopt;
    std::vector<std::int64_t> not_held;
    for (auto const& position : reply.items) {
        if (!position.is_integer()) return std::nullopt;
        not_held.push_back(position.integer);
    }
    return not_held;
}

renewal const renew{.compose = compose_renewal, .read = read_renewal};

// --- without scripts: docs/adr/0006

namespace {

wire_call plain_acquire(call_context const& context) {
    return command_call("RESTORE", context.name,
                        {std::to_string(context.lease.count()), dumped_hash(context.owner_id).bytes()});
}

acquire_answer read_plain_acquire(resp::value const& reply) {
    if (reply.type == resp::value::kind::status && reply.text == "OK") return {acquire_answer::kind::acquired};
    if (reply.is_error_named("BUSYKEY")) return {acquire_answer::kind::key_exists};
    return {};
}

wire_call plain_release(call_context const& context) {
    auto ended = command_call("HDEL", context.name, {context.owner_id});
    if (!context.has_channel()) return ended;
    return command_call(std::move(ended), {context.publish, context.channel(), context.message});
}

release_answer read_plain_release(resp::value const& ended, resp::value const* told) {
    using kind = release_answer::kind;
    if (!ended.is_integer() || ended.integer < 0 || ended.integer > 1) return {};
    bool const sent = told != nullptr && told->is_integer();
    bool const forbidden = told != nullptr && connection::is_missing_right(*told);
    if (ended.integer == 0) return {kind::not_held, 0, sent || forbidden};
    if (forbidden) return {kind::released_silently};
    return {kind::released, sent ? told->integer : 0, sent};
}

release_answer read_silent_release(resp::value const& ended, resp::value const*) {
    using kind = release_answer::kind;
    if (!ended.is_integer() || ended.integer < 0 || ended.integer > 1) return {};
    return {ended.integer == 0 ? kind::not_held : kind::released};
}

wire_call announce(call_context const& context) {
    return command_call(context.publish, context.channel(), {unlock_message});
}

} // namespace

plain_commands const announced{.acquire = plain_acquire,
                               .read_acquire = read_plain_acquire,
                               .release = plain_release,
                               .read_release = read_plain_release,
                               .announce = announce};

plain_commands const unannounced{.acquire = plain_acquire,
                                 .read_acquire = read_plain_acquire,
                                 .release = plain_release,
                                 .read_release = read_silent_release,
                                 .announce = nullptr};

} // namespace redlatch::locking::owner_hash
