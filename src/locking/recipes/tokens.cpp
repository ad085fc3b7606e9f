#include "locking/recipes/tokens.hpp"

#include "base/whole_number.hpp"
#include "locking/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::locking::tokens {

wire_call call(script const& program, call_context const& context, std::initializer_list<std::string_view> keys,
               std::initializer_list<std::string_view> arguments) {
    if (!context.fencing) return script_call(program, keys, arguments);
    auto const counter = token_counter(context.name);
    auto const ttl = std::to_string(context.counter_ttl.count());
    std::vector<std::string_view> all_keys(keys);
    std::vector<std::string_view> all_arguments(arguments);
    all_keys.push_back(counter);
    if (context.counter_ttl.count() > 0) all_arguments.push_back(ttl);
    return script_call(program, all_keys, all_arguments);
}

wire_call acquire(call_context const& context) {
    auto const lease = std::to_string(context.lease.count());
    auto const text = context.channel();
    auto const channel = context.count_listeners ? text.view() : std::string_view();
    if (!channel.empty() && context.publish == publish_in_shard_command) {
        auto const ttl = context.counter_ttl.count() > 0 ? std::to_string(context.counter_ttl.count()) : std::string();
        return script_call(scripts::fenced_acquire, {context.name, token_counter(context.name)},
                           {lease, context.owner_id, channel, ttl, count_in_shard});
    }
    if (channel.empty() && context.counter_ttl.count() == 0)
        return call(scripts::fenced_acquire, context, {context.name}, {lease, context.owner_id});
    return call(scripts::fenced_acquire, context, {context.name}, {lease, context.owner_id, channel});
}

wire_call reenter(call_context const& context, int count) {
    return call(scripts::fenced_reenter, context, {context.name},
                {std::to_string(context.lease.count()), context.owner_id, std::to_string(count)});
}

std::uint64_t read(resp::value const& reply) noexcept {
    if (!reply.is_array() || reply.items.size() != 1) return 0;
    auto const& token = reply.items[0];
    auto const number = token.is_integer() ? std::optional(token.integer)
                        : token.is_text()  ? base::whole_number<std::int64_t>(token.text)
                                           : std::nullopt;
    return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

} // namespace redlatch::locking::tokens
