#include "config_view.hpp"

#include "durations.hpp"
#include "labelled_lines.hpp"
#include "text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace redlatch::cli {
namespace {

using json = nlohmann::ordered_json; // members in the documented order

std::string with_commas(std::vector<std::string> const& parts) {
    std::string result;
    for (auto const& part : parts) result += (result.empty() ? "" : ", ") + part;
    return result;
}

std::string name_of(tls_verification verification) {
    return verification == tls_verification::strict    ? "strict"
           : verification == tls_verification::ca_only ? "ca_only"
                                                       : "none";
}

std::string name_of(command_set commands) {
    return commands == command_set::automatic ? "automatic" : commands == command_set::plain ? "plain" : "scripts";
}

std::string name_of(sharded_messages messages) {
    return messages == sharded_messages::automatic ? "automatic" : messages == sharded_messages::on ? "on" : "off";
}

std::string name_of(tls_version version) {
    return version == tls_version::tls_1_2 ? "1.2" : "1.3";
}

std::string text_of(tls_options const& tls) {
    auto text = "version " + name_of(tls.minimum_version) + " or later, verification " + name_of(tls.verification);
    if (!tls.ca_file.empty()) text += ", authorities in " + tls.ca_file;
    if (!tls.ca_folder.empty()) text += ", authorities in " + tls.ca_folder;
    if (tls.ca_file.empty() && tls.ca_folder.empty()) text += ", authorities of the system";
    if (!tls.certificate_file.empty()) text += ", own certificate " + tls.certificate_file;
    if (!tls.server_name.empty()) text += ", for the name " + tls.server_name;
    for (auto const& cipher : tls.ciphers) text += (&cipher == &tls.ciphers.front() ? ", ciphers " : " ") + cipher;
    return text;
}

std::string or_never(duration time) {
    return time == duration(0) ? "never" : to_text(time);
}

std::string name_of(replica_shortage shortage) {
    return shortage == replica_shortage::fail ? "fail" : shortage == replica_shortage::accept ? "accept" : "give_back";
}

std::string text_of(replica_policy const& policy) {
    if (policy.replicas == 0) return "none are waited for";
    auto const all = policy.replicas == replica_policy::all_connected;
    auto text = (all ? "all that are connected" : std::to_string(policy.replicas)) + " within " + to_text(policy.time);
    if (policy.required > 0) text += ", " + std::to_string(policy.required) + " of them at least";
    if (policy.retries > 0) text += ", " + std::to_string(policy.retries) + " more attempts";
    text += policy.shortage == replica_shortage::fail        ? "; else an error"
            : policy.shortage == replica_shortage::give_back ? "; else not acquired"
                                                             : "; else held all the same";
    return policy.needs_wait ? text : text + "; a server without WAIT counts as one without replicas";
}

std::string text_of(local_handoff const& handoff) {
    if (!handoff.enabled) return "off";
    return "for " + to_text(handoff.time) + " at the most" + (handoff.strict ? ", first come, first served" : "");
}

/// Where it is, and never what.
std::string text_of_password(std::string const& file, bool is_given) {
    if (!file.empty()) return "in the file " + file;
    return is_given ? "***" : "none";
}

void add_servers(labelled_lines& lines, config const& settings) {
    auto const servers = servers_of(settings);
    auto const& topology = settings.topology;
    bool const several = servers.mode != "single";
    lines.add("mode", servers.mode);
    lines.add(servers.mode == "sentinel" ? "sentinels"
              : several                  ? "servers"
                                         : "server",
              with_commas(servers.addresses));
    lines.add_if(servers.mode == "sentinel", "master", servers.master);
    lines.add("user", servers.username.empty() ? "the default user" : servers.username);
    lines.add("password", text_of_password(settings.password_file, servers.has_password));
    lines.add_if(!topology.sentinel_username.empty(), "sentinel user", topology.sentinel_username);
    lines.add_if(servers.mode == "sentinel", "sentinel password",
                 text_of_password(topology.sentinel_password_file, !topology.sentinel_password.empty()));
    lines.add_if(servers.mode == "sentinel" && !topology.discover_sentinels, "other sentinels", "are not asked");
    for (auto const& [told, reachable] : topology.address_map)
        lines.add("address", told + " is reached at " + reachable);
    lines.add_if(several, "scan", "every " + to_text(topology.scan_interval));
    lines.add_if(servers.mode == "cluster", "sharded messages", name_of(topology.sharded));
    lines.add("database", std::to_string(servers.database));
    lines.add("tls", servers.tls ? text_of(settings.tls) : "off");
    lines.add_if(servers.mode == "sentinel", "tls of sentinels",
                 servers.sentinel_tls ? text_of(topology.sentinel_tls.value_or(settings.tls)) : "off");
}

std::string further_attempts(config const& settings) {
    if (settings.retry_attempts == 0) return "no further attempt";
    return std::to_string(settings.retry_attempts) + (settings.retry_attempts == 1 ? " more attempt" : " more attempts")
           + ", the first after " + to_text(settings.retry_delay);
}

void add_times(labelled_lines& lines, config const& settings) {
    lines.add("timeout", to_text(settings.timeout));
    lines.add("connect", std::string(settings.connect == connect_mode::lazily ? "with the first call, " : "")
                             + "within " + to_text(settings.connect_timeout) + ", " + further_attempts(settings));
    lines.add("ping", settings.ping_interval == duration(0) ? "never" : "after " + to_text(settings.ping_interval));
    lines.add("watchdog", to_text(settings.lock_watchdog_timeout) + ", " + std::to_string(settings.renewal_batch)
                              + " locks in one script");
    lines.add("fair waiters", "keep their places for " + to_text(settings.fair_lock_wait_timeout));
    lines.add_if(settings.fencing_counter_ttl.has_value(), "token counters",
                 "stay for " + to_text(settings.fencing_counter_ttl.value_or(duration(0))));
    lines.add("outage limit", or_never(settings.outage_limit));
    lines.add("close", "within " + to_text(settings.close_timeout));
}

void add_own(labelled_lines& lines, config const& settings) {
    config const usual;
    lines.add_if(!settings.name_prefix.empty(), "name prefix", settings.name_prefix);
    lines.add_if(!settings.client_name.empty(), "client name", settings.client_name);
    lines.add_if(settings.holder_label.has_value(), "holder label", settings.holder_label.value_or(""));
    lines.add_if(settings.validity_margin != duration(0), "validity margin", to_text(settings.validity_margin));
    lines.add_if(settings.watched_holds != usual.watched_holds, "watched holds",
                 std::to_string(settings.watched_holds));
    lines.add_if(settings.commands != usual.commands, "commands", name_of(settings.commands));
    lines.add_if(settings.local_handoff != usual.local_handoff, "local hand-off", text_of(settings.local_handoff));
    lines.add_if(settings.fail_fast, "while the server is away", "calls fail at once");
    lines.add_if(settings.replicas != usual.replicas, "replicas", text_of(settings.replicas));
    lines.add_if(settings.detached_unlock, "unlock", "does not wait for the answer");
    lines.add_if(settings.lazy_threads, "threads", "are started when they are needed");
}

json in_milliseconds(duration time) {
    return time.count();
}

json text_or_null(std::string const& text) {
    return text.empty() ? json(nullptr) : json(text);
}

json json_of(tls_options const& tls) {
    json object;
    object["verification"] = name_of(tls.verification);
    object["minimum_version"] = name_of(tls.minimum_version);
    object["ca_file"] = text_or_null(tls.ca_file);
    object["ca_folder"] = text_or_null(tls.ca_folder);
    object["certificate_file"] = text_or_null(tls.certificate_file);
    object["key_file"] = text_or_null(tls.key_file);
    object["server_name"] = text_or_null(tls.server_name);
    object["ciphers"] = tls.ciphers;
    return object;
}

void put_servers(json& object, config const& settings) {
    auto const servers = servers_of(settings);
    auto const& topology = settings.topology;
    object["mode"] = servers.mode;
    object["servers"] = servers.addresses;
    object["master"] = text_or_null(servers.master);
    object["username"] = text_or_null(servers.username);
    object["has_password"] = servers.has_password;
    object["password_file"] = text_or_null(settings.password_file);
    object["sentinel_username"] = text_or_null(topology.sentinel_username);
    object["has_sentinel_password"] = !topology.sentinel_password.empty();
    object["sentinel_password_file"] = text_or_null(topology.sentinel_password_file);
    object["discover_sentinels"] = topology.discover_sentinels;
    object["address_map"] = json::object();
    for (auto const& [told, reachable] : topology.address_map) object["address_map"][told] = reachable;
    object["scan_interval_ms"] = in_milliseconds(topology.scan_interval);
    object["sharded_messages"] = name_of(topology.sharded);
    object["database"] = servers.database;
    object["tls"] = servers.tls ? json_of(settings.tls) : json(nullptr);
    object["sentinel_tls"] =
        servers.sentinel_tls ? json_of(topology.sentinel_tls.value_or(settings.tls)) : json(nullptr);
}

void put_times(json& object, config const& settings) {
    object["timeout_ms"] = in_milliseconds(settings.timeout);
    object["connect_timeout_ms"] = in_milliseconds(settings.connect_timeout);
    object["retry_attempts"] = settings.retry_attempts;
    object["retry_delay_ms"] = in_milliseconds(settings.retry_delay);
    object["ping_interval_ms"] = in_milliseconds(settings.ping_interval);
    object["lock_watchdog_timeout_ms"] = in_milliseconds(settings.lock_watchdog_timeout);
    object["renewal_batch"] = settings.renewal_batch;
    object["fair_lock_wait_timeout_ms"] = in_milliseconds(settings.fair_lock_wait_timeout);
    object["fencing_counter_ttl_ms"] =
        settings.fencing_counter_ttl ? in_milliseconds(*settings.fencing_counter_ttl) : json(nullptr);
    object["outage_limit_ms"] = in_milliseconds(settings.outage_limit);
    object["close_timeout_ms"] = in_milliseconds(settings.close_timeout);
}

json wanted_json(replica_policy const& policy) {
    return policy.replicas == replica_policy::all_connected ? json("all") : json(policy.replicas);
}

void put_own(json& object, config const& settings) {
    object["name_prefix"] = text_or_null(settings.name_prefix);
    object["client_name"] = text_or_null(settings.client_name);
    object["holder_label"] = settings.holder_label ? json(*settings.holder_label) : json(nullptr);
    object["validity_margin_ms"] = in_milliseconds(settings.validity_margin);
    object["watched_holds"] = settings.watched_holds;
    object["commands"] = name_of(settings.commands);
    object["local_handoff"] = {{"enabled", settings.local_handoff.enabled},
                               {"time_ms", in_milliseconds(settings.local_handoff.time)},
                               {"strict", settings.local_handoff.strict}};
    object["connect"] = settings.connect == connect_mode::lazily ? "lazily" : "eagerly";
    object["fail_fast"] = settings.fail_fast;
    object["replicas"] = {{"wanted", wanted_json(settings.replicas)},
                          {"required", settings.replicas.required},
                          {"time_ms", in_milliseconds(settings.replicas.time)},
                          {"shortage", name_of(settings.replicas.shortage)},
                          {"retries", settings.replicas.retries},
                          {"needs_wait", settings.replicas.needs_wait}};
    object["detached_unlock"] = settings.detached_unlock;
    object["lazy_threads"] = settings.lazy_threads;
}

} // namespace

std::string text_of(config const& settings, config_remarks const& remarks) {
    labelled_lines lines;
    add_servers(lines, settings);
    add_times(lines, settings);
    add_own(lines, settings);
    for (auto const& one : remarks.ignored) lines.add("ignored", one);
    for (auto const& one : remarks.warnings) lines.add("warning", one);
    return lines.text();
}

std::string json_of(config const& settings, config_remarks const& remarks) {
    json object;
    put_servers(object, settings);
    put_times(object, settings);
    put_own(object, settings);
    object["ignored"] = remarks.ignored;
    object["warnings"] = remarks.warnings;
    return printable_json(object.dump(-1, ' ', false, json::error_handler_t::replace)) + '\n';
}

} // namespace redlatch::cli
