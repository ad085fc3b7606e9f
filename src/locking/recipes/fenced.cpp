// The re-entrant lock with a token that grows with each acquisition. wire: protocol section 5.3.
#include "locking/recipes/fenced.hpp"

#include "locking/names.hpp"
#include "locking/recipes/recipes.hpp"

namespace redlatch::locking {
namespace fenced {

lock_keys keys(std::string_view name) {
    return {.name = std::string(name), .channel = lock_channel(name), .token_counter = token_counter(name)};
}

wire_call acquire(call_context const& context) {
    auto const lease = std::to_string(context.lease.count());
    if (!context.count_listeners)
        return script_call(scripts::fenced_acquire, {context.name, context.token_counter}, {lease, context.owner_id});
    return script_call(scripts::fenced_acquire, {context.name, context.token_counter},
                       {lease, context.owner_id, context.channel});
}

/// An array of one is the token; what is said of a busy lock is a number or an array of two.
acquire_answer read_acquire(resp::value const& reply) {
    if (!reply.is_array() || reply.items.size() != 1) return owner_hash::read_refusal(reply);
    auto const& token = reply.items[0];
    if (!token.is_integer() || token.integer < 1) return {};
    return {.what = acquire_answer::kind::acquired, .token = static_cast<std::uint64_t>(token.integer)};
}

wire_call set_count(call_context const& context, int count) {
    return script_call(scripts::fenced_set_count, {context.name, context.token_counter},
                       {std::to_string(context.lease.count()), context.owner_id, std::to_string(count)});
}

} // namespace fenced

constinit recipe const fenced_recipe = fenced::make_recipe("fenced");

} // namespace redlatch::locking
