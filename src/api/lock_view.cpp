#include "api/lock_view.hpp"

#include "locking/names.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <charconv>

namespace redlatch::detail {
namespace {

std::int64_t to_number(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// "uuid:number" or "uuid:number:write".
bool looks_like_owner(std::string_view field) {
    constexpr std::size_t uuid_length = 36;
    return field.size() > uuid_length + 1 && field[uuid_length] == ':' && field[8] == '-' && field[13] == '-';
}

lock_owner to_owner(std::string const& field, std::string_view count) {
    lock_owner who;
    who.owner = field;
    who.count = to_number(count);
    auto const colon = field.find(':');
    who.client = field.substr(0, colon);
    if (colon != std::string::npos) who.holder = field.substr(colon + 1);
    if (auto const more = who.holder.find(':'); more != std::string::npos) who.holder.resize(more);
    return who;
}

} // namespace

locking::script_call inspect_call(std::string const& name) {
    return {locking::scripts::lock_inspect, {name, locking::fair_queue(name), locking::fence_counter(name)}, {}};
}

lock_info to_info(std::string const& name, resp::value const& reply) {
    lock_info info;
    info.name = name;
    if (reply.is_nil()) return info;
    constexpr std::size_t header = 3;
    if (!reply.is_array() || reply.items.size() < header)
        throw error(errc::bad_reply, "the server's answer about lock " + locking::shown(name) + " is none");
    info.held = true;
    if (reply.items[0].integer >= 0) info.remaining_lease = duration(reply.items[0].integer);
    info.type = reply.items[2].integer == 1 ? "fenced" : reply.items[1].integer == 1 ? "fair" : "reentrant";
    for (std::size_t i = header; i + 1 < reply.items.size(); i += 2) {
        auto const& field = reply.items[i].text;
        auto const& value = reply.items[i + 1].text;
        if (field == "mode")
            info.type = value;
        else
            info.owners.push_back(to_owner(field, value));
    }
    return info;
}

bool looks_like_lock(lock_info const& seen) {
    return seen.held && !seen.owners.empty()
           && std::all_of(seen.owners.begin(), seen.owners.end(),
                          [](lock_owner const& who) { return looks_like_owner(who.owner); });
}

locking::script_call force_release_call(lock_impl const& of) {
    return of.record->how->force_release(of.record->context({}, {}));
}

bool after_force_release(lock_impl const& of, io::query const& done) {
    bool const was_held = done.reply().is_integer() && done.reply().integer > 0;
    if (was_held)
        of.core->locked([&](locking::lock_table& table, base::wake_list& woken) {
            for (auto const& one : std::vector(of.record->tenures)) table.lose(one, lease_clock::now(), woken);
        });
    return was_held;
}

} // namespace redlatch::detail
