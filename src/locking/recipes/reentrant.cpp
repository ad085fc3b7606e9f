// The re-entrant lock: a hash NAME -> {OWNER: count} with a lease. wire: protocol section 1.
#include "locking/dumped_hash.hpp"
#include "locking/names.hpp"
#include "locking/recipe.hpp"
#include "resp/command.hpp"

namespace redlatch::locking {
namespace {

constexpr std::string_view publish = "PUBLISH"; // one server: protocol section 0.5

script_call acquire(call_context const& about) {
    return {scripts::lock_acquire, {about.name}, {std::to_string(about.lease.count()), about.owner_id}};
}

acquire_answer read_acquire(resp::value const& reply) {
    if (reply.is_nil()) return {acquire_answer::kind::acquired};
    if (!reply.is_integer() || reply.integer < -1) return {};
    if (reply.integer == -1) return {acquire_answer::kind::busy};
    return {acquire_answer::kind::busy, base::milliseconds(reply.integer)};
}

script_call set_count(call_context const& about, int count) {
    return {scripts::lock_set_count,
            {about.name},
            {std::to_string(about.lease.count()), about.owner_id, std::to_string(count)}};
}

count_answer read_count(resp::value const& reply) {
    if (!reply.is_integer()) return count_answer::not_understood;
    if (reply.integer == 0) return count_answer::not_held;
    return reply.integer == 1 ? count_answer::written : count_answer::not_understood;
}

script_call release(call_context const& about) {
    return {scripts::lock_release, {about.name, about.channel}, {about.owner_id, publish}};
}

release_answer read_release(resp::value const& reply) {
    using kind = release_answer::kind;
    if (!reply.is_integer() || reply.integer < -1) return {};
    if (reply.integer == -1) return {kind::released_silently};
    if (reply.integer == 0) return {kind::not_held};
    return {kind::released, reply.integer - 1};
}

script_call force_release(call_context const& about) {
    return {scripts::lock_force_release, {about.name, about.channel}, {publish}};
}

// --- without scripts: docs/adr/0006

constexpr std::string_view unlock_message = "0"; // protocol section 0.5

plain_call plain_acquire(call_context const& about) {
    return {
        resp::command("RESTORE", about.name, std::to_string(about.lease.count()), dumped_hash(about.owner_id).bytes())};
}

acquire_answer read_plain_acquire(resp::value const& reply) {
    if (reply.type == resp::value::kind::status && reply.text == "OK") return {acquire_answer::kind::acquired};
    if (reply.is_error_named("BUSYKEY")) return {acquire_answer::kind::key_exists};
    return {};
}

plain_call plain_release(call_context const& about) {
    auto both = resp::command("HDEL", about.name, about.owner_id);
    resp::append_command(both, {publish, about.channel, unlock_message});
    return {std::move(both), 2};
}

release_answer read_plain_release(resp::value const& ended, resp::value const* told) {
    using kind = release_answer::kind;
    if (!ended.is_integer() || ended.integer < 0 || ended.integer > 1) return {};
    bool const sent = told != nullptr && told->is_integer();
    bool const forbidden = told != nullptr && told->is_error_named("NOPERM");
    if (ended.integer == 0) return {kind::not_held, 0, sent || forbidden};
    if (forbidden) return {kind::released_silently};
    return {kind::released, sent ? told->integer : 0, sent};
}

plain_call announce(call_context const& about) {
    return {resp::command(publish, about.channel, unlock_message)};
}

constexpr plain_commands without_scripts{plain_acquire, read_plain_acquire, plain_release, read_plain_release,
                                         announce};

} // namespace

recipe const reentrant_recipe{acquire,      read_acquire,  set_count,        read_count, release,
                              read_release, force_release, &without_scripts, true,       lock_channel};

} // namespace redlatch::locking
