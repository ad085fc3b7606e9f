// The two halves of a read-write lock: many may read, or one may write. wire: protocol section 6.
#include "locking/recipes/read_write.hpp"

#include "locking/recipes/owner_hash.hpp"
#include "locking/recipes/recipes.hpp"
#include "locking/recipes/tokens.hpp"

#include <string>
#include <vector>

namespace redlatch::locking {
namespace read_write {
namespace {

constexpr std::string_view write_suffix = ":write";

/// Which half; and what a release of it publishes: Redisson's UNLOCK_MESSAGE wakes one waiter of each process,
/// READ_UNLOCK_MESSAGE all.
struct half {
    std::string_view mode;
    std::string_view message;
};
constexpr half reading{"read", "0"};
constexpr half writing{"write", "1"};

wire_call acquire_to_read(call_context const& context) {
    auto const lease = std::to_string(context.lease.count());
    auto const prefix = read_hold_prefix(context.name);
    return script_call(scripts::read_acquire, {context.name, prefix},
                       {lease, context.owner_id, context.counterpart_id});
}

wire_call acquire_to_write(call_context const& context) {
    return tokens::call(scripts::write_acquire, context, {context.name},
                        {std::to_string(context.lease.count()), context.owner_id});
}

wire_call set_read_count(call_context const& context, int count) {
    auto const prefix = read_hold_prefix(context.name);
    return script_call(scripts::read_set_count, {context.name, prefix},
                       {std::to_string(context.lease.count()), context.owner_id, std::to_string(count)});
}

wire_call release_to_keep(call_context const& context, std::string_view message) {
    auto const prefix = read_hold_prefix(context.name);
    auto const writer = kept_owner(context.owner_id);
    auto const kept_for = std::to_string(context.kept_for.count());
    std::string_view reader = writer;
    if (reader.ends_with(write_suffix)) reader.remove_suffix(write_suffix.size());
    return script_call(scripts::read_write_release, {context.name, prefix},
                       {context.owner_id, context.publish, context.channel(), message, kept_for, reader, writer});
}

template <half const& Half> wire_call release(call_context const& context) {
    if (context.kept_for.count() > 0) return release_to_keep(context, Half.message);
    auto const prefix = read_hold_prefix(context.name);
    return script_call(scripts::read_write_release, {context.name, prefix},
                       {context.owner_id, context.publish, context.channel(), Half.message});
}

template <half const& Half> wire_call force_release(call_context const& context) {
    auto const prefix = read_hold_prefix(context.name);
    return script_call(scripts::read_write_force_release, {context.name, prefix},
                       {Half.mode, context.publish, context.channel(), Half.message});
}

wire_call compose_renewal(std::span<renewed_hold const> holds, base::milliseconds lease) {
    auto const lease_text = std::to_string(lease.count());
    std::vector<std::string> prefixes;
    std::vector<std::string_view> keys;
    std::vector<std::string_view> arguments{lease_text};
    prefixes.reserve(holds.size()); // what points into them stays
    for (auto const& hold : holds) {
        prefixes.push_back(read_hold_prefix(hold.name));
        keys.push_back(hold.name);
        arguments.push_back(hold.owner_id);
        arguments.push_back(prefixes.back());
    }
    return script_call(scripts::read_renew, keys, arguments);
}

constexpr renewal renew_reading{.compose = compose_renewal, .read = owner_hash::read_renewal};

wire_call ask_for_fields(call_context const& context) {
    return command_call("HKEYS", context.name);
}

template <half const& Half> std::optional<bool> read_whether_held(resp::value const& reply) {
    if (!reply.is_array()) return std::nullopt;
    bool held = false;
    bool has_mode = false; // without, it is a lock of another kind
    for (auto const& field : reply.items) {
        bool const writes = std::string_view(field.text).ends_with(write_suffix);
        if (field.text == "mode")
            has_mode = true;
        else if (writes == (Half.mode == writing.mode))
            held = true;
    }
    return has_mode && held;
}

template <half const& Half> constexpr recipe make_half(recipe const& counterpart) noexcept {
    auto made = owner_hash::make_recipe(Half.mode);
    made.channel_prefix = channel_prefix;
    made.release = release<Half>;
    made.force_release = force_release<Half>;
    made.is_held = ask_for_fields;
    made.read_is_held = read_whether_held<Half>;
    made.plain = nullptr;       // no plain command writes the mode and a hold
    made.local_handoff = false; // whoever writes may read beside it, by the id of the hold
    made.takes_turns = false;   // readers and writers do not exclude each other alike
    made.counterpart = &counterpart;
    return made;
}

constexpr recipe make_reading() noexcept {
    auto made = make_half<reading>(write_recipe);
    made.acquire = acquire_to_read;
    made.set_count = set_read_count;
    made.renew = &renew_reading;
    made.shared = true;
    return made;
}

constexpr recipe make_writing() noexcept {
    auto made = make_half<writing>(read_recipe);
    made.acquire = acquire_to_write;
    made.owner_suffix = write_suffix;
    return made;
}

} // namespace
} // namespace read_write

constinit recipe const read_recipe = read_write::make_reading();
constinit recipe const write_recipe = read_write::make_writing();

} // namespace redlatch::locking
