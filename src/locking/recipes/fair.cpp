// The lock that its waiters get in the order in which they came, whatever their process: they queue on the server, and a
// release tells the first one. wire: protocol section 5.4.
#include "locking/recipes/fair.hpp"

#include "locking/names.hpp"
#include "locking/recipes/recipes.hpp"
#include "locking/recipes/tokens.hpp"

namespace redlatch::locking {
namespace fair {
namespace {

wire_call end(call_context const& context, std::string_view owner_id) {
    auto const queue = queue_of(context.name);
    auto const timeouts = timeouts_of(context.name);
    auto const patience = std::to_string(context.waiter_timeout.count());
    if (context.kept_for.count() > 0)
        return script_call(scripts::fair_release, {context.name, queue, timeouts},
                           {owner_id, context.publish, context.channel(), patience,
                            std::to_string(context.kept_for.count()), kept_owner(owner_id)});
    return script_call(scripts::fair_release, {context.name, queue, timeouts},
                       {owner_id, context.publish, context.channel(), patience});
}

} // namespace

std::string waiter_channel(call_context const& context) {
    return context.channel().str().append(1, ':').append(context.owner_id);
}

std::vector<std::string> further_keys(std::string_view name) {
    return {queue_of(name), timeouts_of(name)};
}

wire_call acquire(call_context const& context) {
    auto const queue = queue_of(context.name);
    auto const timeouts = timeouts_of(context.name);
    auto const lease = std::to_string(context.lease.count());
    auto const patience = std::to_string(context.waiter_timeout.count());
    return tokens::call(scripts::fair_acquire, context, {context.name, queue, timeouts},
                        {lease, context.owner_id, patience, context.may_wait ? "1" : "0"});
}

wire_call release(call_context const& context) {
    return end(context, context.owner_id);
}

wire_call force_release(call_context const& context) {
    return end(context, {});
}

} // namespace fair

constinit recipe const fair_recipe = fair::make_recipe("fair");

} // namespace redlatch::locking
