// The lock of several values of a group: each is held by itself, all are taken or none. wire: protocol section 9.1.
#include "locking/recipes/faster_multi.hpp"

#include "base/highway_hash.hpp"
#include "locking/names.hpp"
#include "locking/recipes/owner_hash.hpp"
#include "locking/recipes/recipes.hpp"

#include <algorithm>

namespace redlatch::locking {
namespace faster_multi {
namespace {

constexpr base::highway_key redisson_key{0x9e3779b97f4a7c15, 0xf39cc0605cedc834, 0x1082276bf3a27251,
                                         0xf86c6a11d0c18e95};
constexpr std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t field_size = 22;

wire_call about_fields(script const& program, std::initializer_list<std::string_view> keys,
                       std::initializer_list<std::string_view> first, std::span<std::string const> fields) {
    std::vector<std::string_view> arguments(first);
    arguments.insert(arguments.end(), fields.begin(), fields.end());
    return script_call(program, std::span(keys.begin(), keys.size()), arguments);
}

/// For how long the counter of tokens stays; empty: for ever.
std::string counter_ttl(call_context const& context) {
    return context.counter_ttl.count() > 0 ? std::to_string(context.counter_ttl.count()) : std::string();
}

wire_call acquire(call_context const& context) {
    auto const lease = std::to_string(context.lease.count());
    if (context.fencing)
        return about_fields(scripts::faster_multi_acquire, {context.name, token_counter(context.name)},
                            {lease, context.owner_id, counter_ttl(context)}, context.parts);
    return about_fields(scripts::faster_multi_acquire, {context.name}, {lease, context.owner_id}, context.parts);
}

wire_call set_count(call_context const& context, int count) {
    auto const lease = std::to_string(context.lease.count());
    auto const count_text = std::to_string(count);
    if (context.fencing)
        return about_fields(scripts::faster_multi_set_count, {context.name, token_counter(context.name)},
                            {lease, context.owner_id, count_text, counter_ttl(context)}, context.parts);
    return about_fields(scripts::faster_multi_set_count, {context.name}, {lease, context.owner_id, count_text},
                        context.parts);
}

wire_call release(call_context const& context) {
    bool const keeps = context.kept_for.count() > 0;
    auto const kept_for = keeps ? std::to_string(context.kept_for.count()) : std::string();
    auto const kept_by = keeps ? kept_owner(context.owner_id) : std::string();
    return about_fields(scripts::faster_multi_release, {context.name},
                        {context.owner_id, context.publish, context.channel(), kept_for, kept_by}, context.parts);
}

wire_call force_release(call_context const& context) {
    return about_fields(scripts::faster_multi_force_release, {context.name}, {context.publish, context.channel()},
                        context.parts);
}

wire_call lease_left(call_context const& context) {
    return about_fields(scripts::faster_multi_look, {context.name}, {}, context.parts);
}

std::optional<bool> read_is_held(resp::value const& reply) {
    return reply.is_integer() ? std::optional(reply.integer >= 0) : std::nullopt;
}

wire_call compose_renewal(std::span<renewed_hold const> holds, base::milliseconds lease) {
    auto const lease_text = std::to_string(lease.count());
    std::vector<std::string> counts;
    std::vector<std::string_view> keys;
    std::vector<std::string_view> arguments{lease_text};
    counts.reserve(holds.size()); // what points into them stays
    for (auto const& hold : holds) {
        counts.push_back(std::to_string(hold.parts.size()));
        keys.push_back(hold.name);
        arguments.insert(arguments.end(), {hold.owner_id, counts.back()});
        arguments.insert(arguments.end(), hold.parts.begin(), hold.parts.end());
    }
    return script_call(scripts::faster_multi_renew, keys, arguments);
}

constexpr renewal renew{.compose = compose_renewal, .read = owner_hash::read_renewal};

constexpr recipe make() noexcept {
    auto made = owner_hash::make_recipe("faster_multi");
    made.acquire = acquire;
    made.set_count = set_count;
    made.release = release;
    made.force_release = force_release;
    made.is_held = lease_left;
    made.read_is_held = read_is_held;
    made.lease_left = lease_left;
    made.renew = &renew;
    made.plain = nullptr;     // no plain command takes a part of a key
    made.takes_turns = false; // most messages on the channel are about other values
    return made;
}

} // namespace

std::string field_of(std::string_view value) {
    auto const digest = base::highway_hash_128(redisson_key, value);
    std::string text;
    text.reserve(field_size);
    unsigned pending = 0; // bits that no character has yet, the lowest ones
    unsigned count = 0;
    for (auto const word : digest) {
        for (unsigned shift = 64; shift > 0; shift -= 8) {
            pending = (pending << 8U) | static_cast<unsigned>((word >> (shift - 8U)) & 0xffU);
            for (count += 8; count >= 6; count -= 6) text.push_back(base64[(pending >> (count - 6U)) & 63U]);
        }
    }
    text.push_back(base64[(pending << (6U - count)) & 63U]);
    return text;
}

std::vector<std::string> fields_of(std::span<std::string const> values) {
    std::vector<std::string> fields;
    fields.reserve(values.size());
    for (auto const& value : values) fields.push_back(field_of(value));
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    return fields;
}

field parse(std::string_view text) {
    auto const value = text.substr(0, field_size);
    if (value.size() != field_size || value.find_first_not_of(base64) != std::string_view::npos) return {};
    auto rest = text.substr(field_size);
    if (rest.empty()) return {.value = value};
    for (auto const suffix : {ends_suffix, count_suffix})
        if (rest.front() == ':' && rest.size() > 1 + suffix.size() && rest.ends_with(suffix))
            return {.value = value,
                    .owner_id = rest.substr(1, rest.size() - 1 - suffix.size()),
                    .what = rest.substr(rest.size() - suffix.size())};
    return {};
}

} // namespace faster_multi

constinit recipe const faster_multi_recipe = faster_multi::make();

} // namespace redlatch::locking
