// The least rights that a user of the servers needs for some types of locks and synchronizers: docs/operating.md has the same
// rule for all of them on one server, and says what each right is for.
#pragma once

#include <redlatch/topology_options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::cli {

/// As basic_lock::kind() calls them, but for the two halves of a read-write lock: "read_write". And "semaphore",
/// "permit_semaphore", "latch".
std::vector<std::string_view> acl_types();

/// How the servers are arranged, as far as rights depend on it.
struct acl_servers {
    server_mode mode = server_mode::single;
    bool sharded = true;           ///< of a cluster: messages go to shards, which Redis knows from version 7 on
    bool replicas_confirm = false; ///< acquisitions wait for replicas: replica_policy
    bool selects = false;          ///< names a database, and not 0, which every connection begins with
};

/// The words of the rule behind the password: patterns of keys, patterns of channels, commands. `types`: of acl_types().
/// `name_prefix`: with what the names begin; empty: all names.
std::vector<std::string> acl_rule(std::vector<std::string> const& types, std::string_view name_prefix,
                                  acl_servers const& servers = {});

/// The same for the user on the Sentinels, who asks them for the master.
std::vector<std::string> acl_rule_of_sentinels();

} // namespace redlatch::cli
