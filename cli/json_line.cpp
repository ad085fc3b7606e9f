#include "json_line.hpp"

#include "text.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace redlatch::cli {
namespace {

using json = nlohmann::ordered_json; // members in the documented order

std::string line(json const& object) {
    return printable_json(object.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n';
}

json milliseconds(std::optional<duration> const& time) {
    return time ? json(time->count()) : json(nullptr);
}

/// A holder or a waiter; `name`: what only one of them has.
template <typename T> json json_of_party(T const& party, char const* name, json value) {
    json object;
    object["owner"] = party.owner;
    object["client"] = party.client;
    object["holder"] = party.holder;
    object[name] = std::move(value);
    object["label"] = party.label ? json(*party.label) : json(nullptr);
    return object;
}

} // namespace

std::string json_of(lock_info const& lock) {
    json object;
    object["name"] = lock.name;
    object["state"] = lock.held ? "held" : "free";
    object["type"] = lock.type.empty() ? json(nullptr) : json(lock.type);
    object["owners"] = json::array();
    for (auto const& owner : lock.owners) {
        object["owners"].push_back(json_of_party(owner, "count", owner.count));
        object["owners"].back()["released"] = owner.released;
    }
    object["token"] = lock.token ? json(*lock.token) : json(nullptr);
    object["ttl_ms"] = milliseconds(lock.remaining_lease);
    object["waiters"] = json::array();
    for (auto const& waiter : lock.waiters) {
        object["waiters"].push_back(json_of_party(waiter, "passed_over_in_ms", milliseconds(waiter.passed_over_in)));
        object["waiters"].back()["place"] = object["waiters"].size();
    }
    object["truncated"] = lock.truncated;
    return line(object);
}

std::string json_of(permit_info const& semaphore) {
    json object;
    object["name"] = semaphore.name;
    object["state"] = semaphore.taken > 0 ? "taken" : semaphore.is_set ? "free" : "unset";
    object["type"] = "permit_semaphore";
    object["permits"] = semaphore.permits;
    object["available"] = semaphore.available;
    object["taken"] = semaphore.taken;
    object["leases"] = json::array();
    for (auto const& permit : semaphore.leases)
        object["leases"].push_back(json{{"id", permit.id}, {"ttl_ms", milliseconds(permit.remaining_lease)}});
    return line(object);
}

std::string json_of_number(std::string_view name, std::string_view type, std::optional<std::int64_t> value) {
    json object;
    object["name"] = name;
    object["state"] = value ? "set" : "unset";
    object["type"] = type;
    object["value"] = value ? json(*value) : json(nullptr);
    return line(object);
}

std::string json_of_leader(std::string_view name, std::optional<leader_info> const& leads) {
    json object;
    object["name"] = name;
    object["leader"] = nullptr;
    if (!leads) return line(object);
    auto& leader = object["leader"] = json::object();
    leader["candidate"] = leads->candidate.empty() ? json(nullptr) : json(leads->candidate);
    leader["owner"] = leads->owner_id;
    leader["token"] = leads->token ? json(*leads->token) : json(nullptr);
    leader["ttl_ms"] = milliseconds(leads->remaining_lease);
    leader["resigned"] = leads->resigned;
    return line(object);
}

std::string json_of(server_info const& server) {
    json object;
    object["server"] = server.address;
    object["software"] = server.software.empty() ? json(nullptr) : json(server.software);
    object["version"] = server.version.empty() ? json(nullptr) : json(server.version);
    object["round_trip_us"] = server.round_trip.count();
    return line(object);
}

std::string json_of(embedded_server::state const& server) {
    json object;
    object["running"] = server.running;
    object["socket"] = server.socket.string();
    object["pid"] = server.running ? json(server.pid) : json(nullptr);
    object["software"] = server.running ? json(server.software) : json(nullptr);
    object["version"] = server.running ? json(server.version) : json(nullptr);
    object["uptime_s"] = server.running ? json(server.uptime_seconds) : json(nullptr);
    object["clients"] = server.running ? json(server.clients) : json(nullptr);
    object["keys"] = server.running ? json(server.keys) : json(nullptr);
    return line(object);
}

std::string json_of_event(std::string_view event, std::int64_t at_ms, std::string_view message,
                          std::vector<field> const& fields) {
    json object;
    object["event"] = event;
    object["at_ms"] = at_ms;
    for (auto const& [key, value] : fields)
        std::visit([&object, &name = key](auto const& plain) { object[std::string(name)] = plain; }, value);
    object["message"] = message;
    return line(object);
}

std::string json_of_unlock(std::string_view name, bool was_held, std::optional<std::string> const& passed_over) {
    json object;
    object["name"] = name;
    object["was_held"] = was_held;
    object["passed_over"] = passed_over ? json(*passed_over) : json(nullptr);
    return line(object);
}

std::string json_of_counter(std::string_view name, std::string_view member, std::variant<bool, std::int64_t> value) {
    json object;
    object["name"] = name;
    std::visit([&](auto plain) { object[std::string(member)] = plain; }, value);
    return line(object);
}

std::string json_of_version(std::string_view version) {
    json object;
    object["version"] = version;
    return line(object);
}

} // namespace redlatch::cli
