// JSON output: one object per line. The objects are documented in the man page and do not change their shape.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/embedded_server.hpp>
#include <redlatch/leader_election.hpp>
#include <redlatch/lock_info.hpp>
#include <redlatch/permit_info.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace redlatch::cli {

/// One member of an event.
struct field {
    std::string_view key;
    std::variant<std::int64_t, std::string> value;
};

/// Each ends with a line feed. Bytes that are not UTF-8 appear as U+FFFD.
std::string json_of(lock_info const& lock);
/// {"name","state":"taken|free|unset","type":"permit_semaphore","permits","available","taken","leases":[{"id","ttl_ms"}]}
std::string json_of(permit_info const& semaphore);
/// {"name","state":"set|unset","type":"number|semaphore|latch","value"}
std::string json_of_number(std::string_view name, std::string_view type, std::optional<std::int64_t> value);
/// {"name","leader":{"candidate","owner","token","ttl_ms","resigned"}}, or null in place of the leader.
std::string json_of_leader(std::string_view name, std::optional<leader_info> const& leads);
std::string json_of(server_info const& server);
std::string json_of(embedded_server::state const& server);
std::string json_of_event(std::string_view event, std::int64_t at_ms, std::string_view message,
                          std::vector<field> const& fields);
/// `passed_over`: the first of the queue of a fair lock that was free.
std::string json_of_unlock(std::string_view name, bool was_held, std::optional<std::string> const& passed_over);
/// What became of a semaphore or a latch.
std::string json_of_counter(std::string_view name, std::string_view member, std::variant<bool, std::int64_t> value);
std::string json_of_version(std::string_view version);

} // namespace redlatch::cli
