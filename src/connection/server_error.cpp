#include "connection/server_error.hpp"

#include "connection/redirect.hpp"

#include <algorithm>

namespace redlatch::connection {

namespace {

/// What Redis 6 says of an error within a script is wrapped: "ERR Error running script (...): @user_script:7: -OOM ...", or
/// "@user_script: 7: The user ..." where the script has returned it.
std::string_view unwrapped(std::string_view text) {
    constexpr std::string_view place = "@user_script";
    auto const at = text.rfind(place);
    if ((!text.starts_with("ERR Error running script") && !text.starts_with(place)) || at == std::string_view::npos)
        return text;
    auto const begin = text.find_first_not_of(": 0123456789", at + place.size());
    if (begin == std::string_view::npos) return text;
    return text.substr(text[begin] == '-' ? begin + 1 : begin);
}

bool begins(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
}

bool is_missing_right(std::string_view said) {
    auto text = unwrapped(said);
    if (begins(text, "NOPERM")) return true;
    if (begins(text, "ERR")) text.remove_prefix(std::min<std::size_t>(4, text.size()));
    for (std::string_view const in_script :
         {"ACL failure in script", "The user executing the script can't run this command",
          "The user executing the script can't access"})
        if (text.starts_with(in_script)) return true;
    return false;
}

struct advice {
    std::string_view word;
    std::string_view what_to_do;
};

constexpr std::string_view is_cluster = "it is a node of a cluster: write its address as redis-cluster://host:port";

constexpr advice by_first_word[] = {
    {"OOM", "its memory is full: raise maxmemory or remove keys; locks can still be released"},
    {"READONLY", "it is a replica: give the address of its master"},
    {"MASTERDOWN", "it is a replica that has lost its master: give the address of the master"},
    {"NOREPLICAS", "fewer replicas are connected and within min-replicas-max-lag than min-replicas-to-write asks for: "
                   "bring them back, or lower that setting"},
    {"MISCONF",
     "it cannot save to its disk and so refuses to write (stop-writes-on-bgsave-error): see its log and its disk"},
    {"LOADING", "it is loading its data: wait until it has"},
    {"BUSY", "a script has been running on it for long: wait, or end it with SCRIPT KILL"},
    {"MOVED", is_cluster},
    {"ASK", is_cluster},
    {"CROSSSLOT",
     "the keys of this call are on different nodes of the cluster: do not use { and } in the name, or both"},
    {"CLUSTERDOWN",
     "the cluster has no master for this key now: see CLUSTER INFO; a replica takes its place, or none is left"},
    {"TRYAGAIN", "the slot of this key is on its way to another node: wait until it is there"},
    {"NOAUTH", "set a password in the URI or the config"},
};

} // namespace

verdict judge(resp::value const& error) {
    if (!error.is_error()) return verdict::refused;
    auto const text = unwrapped(error.text);
    for (auto const* word :
         {"LOADING", "BUSY", "OOM", "MISCONF", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS"})
        if (begins(text, word)) return verdict::not_executed;
    if (begins(text, "READONLY")) return verdict::read_only;
    if (begins(text, "NOSCRIPT")) return verdict::no_script;
    if (begins(text, "WRONGTYPE")) return verdict::wrong_type;
    return verdict::refused;
}

std::string_view what_to_do(std::string_view said) {
    auto const text = unwrapped(said);
    for (auto const& [word, answer] : by_first_word)
        if (begins(text, word)) return answer;
    auto const says = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
    if (says("'eval' command") || says("'evalsha' command") || says("'eval|") || says("'evalsha|"))
        return "give this user the rights to EVAL and EVALSHA: locks that wait, re-enter or are renewed are scripts";
    if (text.starts_with("ERR unknown command"))
        return "the server does not have this command, or was told to hide it: allow it, or use another server";
    if (is_missing_right(text)) return "check the rights of this user (redlatch acl prints those that locks need)";
    return "look this error up in the documentation of the server";
}

bool is_missing_right(resp::value const& error) {
    return error.is_error() && is_missing_right(error.text);
}

bool is_out_of_memory(resp::value const& error) {
    return error.is_error() && begins(unwrapped(error.text), "OOM");
}

bool is_of_a_replica(resp::value const& error) {
    if (!error.is_error()) return false;
    auto const text = unwrapped(error.text);
    // WAIT is ended by the change itself, or comes behind it.
    return begins(text, "READONLY") || begins(text, "UNBLOCKED")
           || text.starts_with("ERR WAIT cannot be used with replica instances");
}

bool is_about_the_cluster(resp::value const& error) {
    if (!error.is_error()) return false;
    auto const text = unwrapped(error.text);
    return begins(text, "CLUSTERDOWN") || begins(text, "TRYAGAIN");
}

bool is_of_divided_slot(resp::value const& error) {
    if (!error.is_error()) return false;
    auto const text = unwrapped(error.text);
    if (begins(text, "TRYAGAIN")) return !text.starts_with(redirected_too_often);
    // A script that has met one: as Redis 7.0 and Valkey 9 say it, and all in between.
    return text.find("access a non local key") != std::string_view::npos
           || text.find("during rehashing of the slot") != std::string_view::npos;
}

reach reach_of(resp::value const& refusal) {
    auto const says = [&](std::string_view words) { return refusal.text.find(words) != std::string::npos; };
    for (auto const* word : {"MOVED", "ASK", "CROSSSLOT"})
        if (refusal.is_error_named(word)) return reach::keys;
    if (refusal.is_error_named("NOAUTH") || refusal.text.starts_with("ERR unknown command")) return reach::command;
    if (!is_missing_right(refusal)) return reach::unknown;
    // "... has no permissions to run the 'evalsha' command", "... can't run this command or subcommand": the name of a user or
    // command may be anything, so this comes first.
    if (says("permissions to run") || says("can't run this command")) return reach::command;
    return says(" key") ? reach::keys : reach::unknown;
}

errc to_errc(verdict answer) noexcept {
    switch (answer) {
    case verdict::not_executed:
    case verdict::read_only: return errc::disconnected;
    case verdict::wrong_type: return errc::wrong_type;
    case verdict::no_script:
    case verdict::refused: return errc::server_refused;
    }
    return errc::server_refused;
}

} // namespace redlatch::connection
