#include "connection/connect_op.hpp"

#include "base/assert.hpp"
#include "connection/auth_refusal.hpp"
#include "connection/role_reply.hpp"
#include "connection/server_error.hpp"
#include "resp/command.hpp"

#include <charconv>

namespace redlatch::connection {

std::string_view info_field(std::string_view text, std::string_view key, char assign, std::string_view separators) {
    for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        bool const begins = at == 0 || separators.find(text[at - 1]) != std::string_view::npos;
        auto const after = text.substr(at + key.size());
        if (begins && after.starts_with(assign)) return after.substr(1, after.find_first_of(separators) - 1);
    }
    return {};
}

std::string auth_command(std::string const& username, std::string const& password) {
    return username.empty() ? resp::command("AUTH", password) : resp::command("AUTH", username, password);
}

connect_op::connect_op(greeting const& words)
    : of_cluster_(words.of_cluster), only_master_(words.only_master), to_sentinel_(words.to_sentinel),
      password_(words.password) {
    if (!words.username.empty() || !words.password.empty()) {
        due_.push_back(step::auth);
        bytes_ += auth_command(words.username, words.password);
    }
    if (!words.client_name.empty()) {
        due_.push_back(step::set_name);
        bytes_ += resp::command("CLIENT", "SETNAME", words.client_name);
    }
    if (words.database != 0) {
        due_.push_back(step::select);
        bytes_ += resp::command("SELECT", std::to_string(words.database));
    }
    if (words.identify) {
        due_.push_back(step::client_info);
        bytes_ += resp::command("CLIENT", "INFO");
        due_.push_back(step::server_info);
        bytes_ += resp::command("INFO");
    } else {
        due_.push_back(step::ping);
        bytes_ += resp::command("PING");
    }
    if (words.only_master) {
        due_.push_back(step::role);
        bytes_ += resp::command("ROLE");
    }
}

connect_op::progress connect_op::fail(errc reason, std::string problem) {
    reason_ = reason;
    problem_ = std::move(problem);
    return progress::failed;
}

connect_op::progress connect_op::on_reply(resp::value const& reply) {
    REDLATCH_ASSERT(next_ < due_.size());
    auto const requested = due_[next_++];
    auto const outcome = read(requested, reply);
    if (outcome == progress::failed) return outcome;
    return next_ == due_.size() ? progress::ready : progress::more;
}

/// Of what may be refused, as in an ACL rule.
std::string_view connect_op::name_of(step asked) noexcept {
    switch (asked) {
    case step::auth: return "auth";
    case step::set_name: return "client|setname";
    case step::select: return "select";
    case step::client_info: return "client|info";
    case step::server_info: return "info";
    case step::ping: return "ping";
    case step::role: return "role";
    }
    return {};
}

connect_op::progress connect_op::read(step current, resp::value const& reply) {
    switch (current) {
    case step::auth:
        if (!reply.is_error()) return progress::more;
        // The server may say something else first: too many clients, still loading.
        if (reply.is_error_named("WRONGPASS") || is_missing_right(reply) || reply.text.find("AUTH") != std::string::npos
            || reply.text.find("invalid password") != std::string::npos)
            return fail(
                errc::server_refused,
                "refused user name or password (" + shown_refusal(reply.text, password_) + "); check "
                    + (to_sentinel_ ? "topology.sentinel_username and sentinel_password" : "username and password"));
        return fail(errc::disconnected, "turned the connection down: " + shown_refusal(reply.text, password_));
    case step::select:
        if (reply.is_error()) return fail(errc::server_refused, refusal_of_database(reply));
        return progress::more;
    case step::set_name: // a nicety for CLIENT LIST
        note_missing_right(self_.missing_rights, name_of(current), reply);
        return progress::more;
    case step::ping:
    case step::client_info:
    case step::role:
    case step::server_info: break;
    }
    if (reply.is_error_named("NOAUTH"))
        return fail(errc::server_refused,
                    "wants a password (" + reply.text + "); set "
                        + (to_sentinel_ ? "topology.sentinel_password" : "one in the URI or the config"));
    note_missing_right(self_.missing_rights, name_of(current), reply);
    if (current == step::role) return read_role_reply(reply);
    if (current == step::ping) {
        // A user without PING is known to the server all the same, and a loading one will be ready soon.
        if (!reply.is_error() && !reply.is_text() && !reply.is_array())
            return fail(errc::bad_reply, "does not speak the Redis protocol");
        return progress::more;
    }
    if (reply.is_error()) return progress::more;
    if (!reply.is_text()) return fail(errc::bad_reply, "does not speak the Redis protocol (CLIENT INFO, INFO)");
    if (current == step::client_info) {
        auto const id = info_field(reply.text, "id", '=', " \n");
        std::from_chars(id.data(), id.data() + id.size(), self_.client_id);
        self_.address = info_field(reply.text, "addr", '=', " \n");
        self_.server = info_field(reply.text, "laddr", '=', " \n");
        return progress::more;
    }
    return read_info(reply.text);
}

std::string connect_op::refusal_of_database(resp::value const& reply) const {
    auto const said = "refused the database (" + reply.text + "); ";
    if (is_missing_right(reply) && reach_of(reply) == reach::command)
        return said
               + "give this user the right +select, which a database other than 0 needs (redlatch acl --database), "
                 "or use database 0";
    return said + "check the database number"
           + (of_cluster_ ? ": a cluster has no databases but 0, unless it is one of Valkey 9 or later with "
                            "cluster-databases"
                          : "");
}

connect_op::progress connect_op::read_info(std::string_view text) {
    auto const field = [&](std::string_view key) { return info_field(text, key, ':', "\r\n"); };
    self_.run_id = field("run_id");
    auto const valkey = field("valkey_version");
    self_.software = valkey.empty() ? "redis" : "valkey";
    self_.version = valkey.empty() ? field("redis_version") : valkey;
    self_.eviction_policy = field("maxmemory_policy");
    for (auto const* const mode : {"redis_mode", "server_mode"})
        if (field(mode) == "sentinel")
            return fail(errc::server_refused, "is a Sentinel, which holds no keys; write its address as "
                                              "redis-sentinel://host:port/#name, with the name of "
                                              "the master that it watches");
    if (field("cluster_enabled") == "1" && !of_cluster_)
        return fail(errc::server_refused,
                    "is a node of a cluster (cluster-enabled yes), and a lock may belong to any of "
                    "its nodes; write its address as redis-cluster://host:port");
    if (field("cluster_enabled") == "0" && of_cluster_)
        return fail(errc::server_refused, "is not a node of a cluster (cluster-enabled no); write redis://host:port");
    bool const writable = field("slave_read_only") == "0" || field("replica_read_only") == "0";
    if (field("role") == "slave" && !of_cluster_ && (only_master_ || !writable)) {
        std::string master;
        if (auto const host = field("master_host"); !host.empty())
            master = ", " + std::string(host) + ":" + std::string(field("master_port"));
        return refuse_replica(master);
    }
    return progress::more;
}

/// An error: INFO has to do.
connect_op::progress connect_op::read_role_reply(resp::value const& reply) {
    auto const role = read_role(reply);
    if (role == server_role::replica) return refuse_replica(master_of(reply));
    if (role == server_role::sentinel) return fail(errc::disconnected, "is a Sentinel, and not the master");
    return progress::more;
}

/// `master`: `, host:port`, or empty.
connect_op::progress connect_op::refuse_replica(std::string const& master) {
    if (only_master_)
        return fail(errc::disconnected,
                    "is a replica and not the master (a failover may be under way); its master is at"
                        + (master.empty() ? " an address that it does not tell" : master.substr(1)));
    return fail(errc::disconnected, "is a replica, which takes no locks; give the address of its master" + master);
}

} // namespace redlatch::connection
