#include "json_line.hpp"

#include "text.hpp"

#include <nlohmann/json.hpp>

namespace redlatch::cli {
namespace {

using json = nlohmann::ordered_json; // members in the documented order

std::string line(json const& object) {
    return printable_json(object.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n';
}

} // namespace

std::string json_of(lock_info const& lock) {
    json object;
    object["name"] = lock.name;
    object["state"] = lock.held ? "held" : "free";
    object["type"] = lock.type.empty() ? json(nullptr) : json(lock.type);
    object["owners"] = json::array();
    for (auto const& owner : lock.owners) {
        json one;
        one["owner"] = owner.owner;
        one["client"] = owner.client;
        one["holder"] = owner.holder;
        one["count"] = owner.count;
        one["label"] = owner.label ? json(*owner.label) : json(nullptr);
        object["owners"].push_back(std::move(one));
    }
    object["ttl_ms"] = lock.remaining_lease ? json(lock.remaining_lease->count()) : json(nullptr);
    object["waiters"] = json::array();
    for (auto const& waiter : lock.waiters) {
        json one;
        one["owner"] = waiter.owner;
        one["client"] = waiter.client;
        one["holder"] = waiter.holder;
        one["passed_over_in_ms"] = waiter.passed_over_in ? json(waiter.passed_over_in->count()) : json(nullptr);
        one["label"] = waiter.label ? json(*waiter.label) : json(nullptr);
        object["waiters"].push_back(std::move(one));
    }
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

std::string json_of_unlock(std::string_view name, bool was_held) {
    json object;
    object["name"] = name;
    object["was_held"] = was_held;
    return line(object);
}

std::string json_of_version(std::string_view version) {
    json object;
    object["version"] = version;
    return line(object);
}

} // namespace redlatch::cli
