#include "api/lock_view.hpp"

#include "connection/server_error.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

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

/// Throws unless it is an answer.
void must_be_answer(io::client_core& core, std::string const& name, resp::value const& reply) {
    if (!reply.is_error()) return;
    auto const reason = connection::to_errc(connection::judge(reply));
    throw error(reason,
                io::query_message(core.node_of(name), "looking at lock " + locking::shown(name), reason, reply));
}

/// Whether a key is there that only tells the type of the lock: without the right to look, it is not.
bool is_there(resp::value const& reply) {
    return reply.is_integer() && reply.integer == 1;
}

/// HSCAN may name a field twice.
void add_owner(lock_info& to, std::string const& field, std::string_view count) {
    auto const known =
        std::any_of(to.owners.begin(), to.owners.end(), [&](lock_owner const& owner) { return owner.owner == field; });
    if (!known) to.owners.push_back(to_owner(field, count));
}

} // namespace

void append_look(std::vector<std::string>& commands, std::string const& name) {
    // HSCAN, not HGETALL: whatever hash has the name, the answer is bounded.
    commands.push_back(resp::command("HSCAN", name, "0", "COUNT", "1000"));
    commands.push_back(resp::command("PTTL", name));
    commands.push_back(resp::command("EXISTS", locking::fair_queue(name)));
    commands.push_back(resp::command("EXISTS", locking::token_counter(name)));
}

lock_info to_info(io::client_core& core, std::string const& name, std::span<resp::value const> answers) {
    auto const& page = answers[0];
    auto const& lease = answers[1];
    must_be_answer(core, name, page);
    must_be_answer(core, name, lease);
    if (!page.is_array() || page.items.size() != 2 || !page.items[1].is_array() || !lease.is_integer())
        throw error(errc::bad_reply, "the server sent an unexpected reply about lock " + locking::shown(name));
    lock_info info;
    info.name = name;
    auto const& fields = page.items[1].items;
    constexpr std::int64_t no_key = -2;
    if (fields.empty() || lease.integer == no_key) return info;
    info.held = true;
    if (lease.integer >= 0) info.remaining_lease = duration(lease.integer);
    info.type = is_there(answers[3]) ? "fenced" : is_there(answers[2]) ? "fair" : "reentrant";
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        auto const& field = fields[i].text;
        auto const& value = fields[i + 1].text;
        if (field == "mode" && (value == "read" || value == "write"))
            info.type = value;
        else
            add_owner(info, field, value);
    }
    return info;
}

bool looks_like_lock(lock_info const& info) {
    return info.held && !info.owners.empty()
           && std::all_of(info.owners.begin(), info.owners.end(),
                          [](lock_owner const& owner) { return looks_like_owner(owner.owner); });
}

std::string ask_for_labels() {
    return resp::command("CLIENT", "LIST", "TYPE", "normal");
}

void add_labels(std::span<lock_info> locks, connection::holder_labels const& labels) {
    for (auto& lock : locks)
        for (auto& who : lock.owners)
            if (auto const found = labels.find(who.client); found != labels.end()) who.label = found->second;
}

locking::wire_call force_release_call(lock_impl const& impl) {
    return impl.record->how->force_release(impl.record->context({}, {}));
}

bool after_force_release(lock_impl const& impl, io::query const& done) {
    bool const was_held = done.reply().is_integer() && done.reply().integer > 0;
    if (was_held)
        impl.core->locked([&](locking::lock_table& table, base::wake_list& woken) {
            auto const held = impl.record->tenures.acquired();
            for (auto const& one : std::vector(held.begin(), held.end())) table.lose(one, lease_clock::now(), woken);
        });
    return was_held;
}

} // namespace redlatch::detail
