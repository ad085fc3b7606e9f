#include "api/lock_view.hpp"

#include "api/group_view.hpp"
#include "api/lock_rule.hpp"
#include "base/whole_number.hpp"
#include "connection/server_error.hpp"
#include "locking/names.hpp"
#include "locking/recipes/election.hpp"
#include "locking/recipes/fair.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

namespace redlatch::detail {
namespace {

std::int64_t to_number(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// Of a lock_owner or a lock_waiter.
template <typename T> T with_identity(std::string const& id) {
    T who;
    who.owner = id;
    auto const colon = id.find(':');
    who.client = id.substr(0, colon);
    if (colon != std::string::npos) who.holder = id.substr(colon + 1);
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

/// Only of what any lock has: those of a queue or of tokens may be refused to who uses neither.
void note_missing_rights(io::node& server, std::span<resp::value const> answers) {
    server.note_spare("exists", answers[2]);
    server.note_spare("hget", answers[5]);
    if (is_there(answers[2])) server.note_spare("get", answers[6]);
}

bool is_mode(std::string_view text) {
    return text == "read" || text == "write";
}

/// HSCAN may name a field twice.
void add_owner(lock_info& to, std::string const& field, std::string_view count) {
    auto const known =
        std::any_of(to.owners.begin(), to.owners.end(), [&](lock_owner const& owner) { return owner.owner == field; });
    if (known) return;
    to.owners.push_back(with_identity<lock_owner>(field));
    to.owners.back().count = base::whole_number<std::int64_t>(count).value_or(0);
    to.owners.back().released = is_released(field);
}

/// What stands behind the number of a holder is what a candidate of an election calls itself.
void name_candidates(lock_info& info) {
    for (auto& owner : info.owners) {
        auto const candidate = locking::election::candidate_in(owner.owner);
        if (candidate.empty()) continue;
        owner.label = candidate;
        info.type = "election";
    }
}

// Whatever the keys hold, the answers are bounded.
constexpr std::string_view last_of_queue = "999";
constexpr std::int64_t last_of_times = 100'000'000'000'000; // milliseconds: in the year 5138

/// In milliseconds since the epoch. None: without the right to ask.
std::optional<std::int64_t> to_server_time(resp::value const& reply) {
    if (!reply.is_array() || reply.items.size() != 2) return std::nullopt;
    auto const seconds = to_number(reply.items[0].text);
    if (seconds < 0 || seconds >= last_of_times / 1'000) return std::nullopt;
    return seconds * 1'000 + to_number(reply.items[1].text) % 1'000'000 / 1'000;
}

std::vector<lock_waiter> to_waiters(resp::value const& queue, resp::value const& timeouts, resp::value const& time) {
    std::vector<lock_waiter> waiters;
    if (!queue.is_array()) return waiters; // of no list, or of one that this user may not read
    auto const now = to_server_time(time);
    std::unordered_map<std::string_view, std::int64_t> timeout_of;
    for (std::size_t i = 0; now && i + 1 < timeouts.items.size(); i += 2)
        timeout_of.emplace(timeouts.items[i].text, to_number(timeouts.items[i + 1].text));
    bool const known = now && timeouts.is_array();
    for (auto const& id : queue.items) {
        waiters.push_back(with_identity<lock_waiter>(id.text));
        if (!known) continue;
        // Without a timeout, as nobody leaves it behind, it is passed over at once.
        auto const at = timeout_of.find(id.text);
        waiters.back().passed_over_in =
            duration(at == timeout_of.end() ? 0 : std::clamp<std::int64_t>(at->second, *now, last_of_times) - *now);
    }
    return waiters;
}

/// Only what is held: leases that are over may have left fields behind.
void add_group(lock_info& to, std::span<resp::value const> fields, std::optional<std::int64_t> now,
               std::span<std::string const> parts) {
    auto const holders = holders_in(fields, now, parts);
    if (holders.empty()) return;
    to.held = true;
    to.type = "faster_multi";
    for (auto const& holder : holders) {
        to.owners.push_back(with_identity<lock_owner>(holder.owner_id));
        to.owners.back().count = holder.count;
        to.owners.back().released = is_released(to.owners.back().owner);
        if (now && holder.ends)
            to.remaining_lease = std::max(to.remaining_lease.value_or(duration()),
                                          duration(std::min(*holder.ends, last_of_times) - *now));
    }
}

} // namespace

void append_look(std::vector<std::string>& commands, std::string const& name) {
    // HSCAN, not HGETALL: whatever hash has the name, the answer is bounded.
    commands.push_back(resp::command("HSCAN", name, "0", "COUNT", "1000"));
    commands.push_back(resp::command("PTTL", name));
    commands.push_back(resp::command("EXISTS", locking::token_counter(name)));
    commands.push_back(resp::command("LRANGE", locking::fair::queue_of(name), "0", last_of_queue));
    commands.push_back(resp::command("ZRANGE", locking::fair::timeouts_of(name), "0", last_of_queue, "WITHSCORES"));
    commands.push_back(resp::command("HGET", name, "mode")); // it may stand behind a thousand readers
    // Beside EXISTS, which tells the type to those who may not GET.
    commands.push_back(resp::command("GET", locking::token_counter(name)));
}

std::string ask_for_time() {
    return resp::command("TIME");
}

lock_info to_info(io::client_core& core, std::string const& name, std::span<resp::value const> answers,
                  resp::value const& time, std::span<std::string const> parts) {
    auto const& page = answers[0];
    auto const& lease = answers[1];
    must_be_answer(core, name, page);
    must_be_answer(core, name, lease);
    if (!page.is_array() || page.items.size() != 2 || !page.items[1].is_array() || !lease.is_integer())
        throw error(errc::bad_reply, "the server sent an unexpected reply about lock " + locking::shown(name));
    note_missing_rights(core.node_of(name), answers);
    lock_info info;
    info.name = name;
    if (answers[6].is_text()) info.token = base::whole_number<std::uint64_t>(answers[6].text);
    info.waiters = to_waiters(answers[3], answers[4], time);
    if (!info.waiters.empty()) info.type = "fair";
    auto const& fields = page.items[1].items;
    constexpr std::int64_t no_key = -2;
    if (fields.empty() || lease.integer == no_key) return info;
    info.truncated = page.items[0].text != "0";
    if (is_group(fields)) {
        add_group(info, fields, to_server_time(time), parts);
        if (info.held) info.foreign_field = foreign_field_among(info.owners);
        return info;
    }
    info.held = true;
    if (lease.integer >= 0) info.remaining_lease = duration(lease.integer);
    if (info.type.empty()) info.type = is_there(answers[2]) ? "fenced" : "reentrant";
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        auto const& field = fields[i].text;
        auto const& value = fields[i + 1].text;
        if (field == "mode" && is_mode(value))
            info.type = value;
        else
            add_owner(info, field, value);
    }
    if (is_mode(answers[5].text)) info.type = answers[5].text;
    if (!is_mode(info.type)) name_candidates(info); // the ids of write holds have a suffix of their own
    info.foreign_field = foreign_field_among(info.owners);
    return info;
}

bool looks_like_lock(lock_info const& info) {
    return info.held ? info.foreign_field.empty() : !info.waiters.empty();
}

std::string ask_for_labels() {
    return resp::command("CLIENT", "LIST", "TYPE", "normal");
}

connection::holder_labels labels_of(io::node& server, resp::value const& answer) {
    server.note_spare("client|list", answer);
    return connection::labels_in(answer.text);
}

void add_labels(std::span<lock_info> locks, connection::holder_labels const& labels) {
    auto const add_label = [&labels](auto& party) {
        if (auto const found = labels.find(party.client); found != labels.end() && !party.label)
            party.label = found->second;
    };
    for (auto& lock : locks) {
        std::for_each(lock.owners.begin(), lock.owners.end(), add_label);
        std::for_each(lock.waiters.begin(), lock.waiters.end(), add_label);
    }
}

locking::wire_call force_release_call(lock_impl const& impl) {
    return impl.record->how->force_release(impl.record->context({}, {}));
}

bool after_force_release(lock_impl const& impl, io::query const& done, lease_clock::time_point asked_at) {
    bool const was_held = done.reply().is_integer() && done.reply().integer > 0;
    if (was_held || done.repeated()) // an earlier copy may have ended what is held here
        impl.core->locked([&](locking::lock_table& table, base::wake_list& woken) {
            table.lose_all(*impl.record, asked_at, lease_clock::now(), woken);
        });
    return was_held;
}

} // namespace redlatch::detail
