// What Sentinels are asked about a master, and what they say.
//
//     SENTINEL GET-MASTER-ADDR-BY-NAME <name>    [host, port], or nil where the name is not known
//     SENTINEL MASTER <name>                     fields; of these: config-epoch, which grows with each failover,
//                                                quorum and num-other-sentinels
//     SENTINEL SENTINELS <name>                  the fields of each other Sentinel; flags say which are away
//     SENTINEL REPLICAS <name>                   fields of each replica, of these: flags and slave-priority; asked by
//                                                whoever looks for the master, for inspect_servers()
// The second one is there to tell a Sentinel that has not heard of the last failover from one that has. Where a user may only
// send what clients commonly do, it and those behind it are refused, and nothing depends on them.
#pragma once

#include "connection/host_and_port.hpp"
#include "resp/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::connection {

/// The three questions.
std::string sentinel_questions(std::string_view master_name);
constexpr std::size_t sentinel_replies = 3;
/// The fourth, which may be left out.
std::string replicas_question(std::string_view master_name);

struct sentinel_answer {
    enum class kind { known, unknown_name, refused };

    kind what = kind::refused;
    host_and_port master{};               ///< where it is known
    std::optional<std::uint64_t> epoch{}; ///< none: it was not said
    std::vector<host_and_port> others{};  ///< further Sentinels; at most 64
    std::optional<int> sentinels{};       ///< how many there are; none: it was not said
    std::optional<int> reachable{};       ///< those that it does not call away, itself included; none: likewise
    std::optional<int> promotable{};      ///< replicas that may take the place of the master; none: likewise
    std::optional<int> quorum{};          ///< how many have to agree that the master is gone; none: likewise
    std::string master_refused{};         ///< the error that the second question got
    std::string others_refused{};         ///< and the third one
    bool asked_for_replicas = false;      ///< there was a fourth one
    std::string replicas_refused{};       ///< the error that it got
    std::string problem{};                ///< of a refusal: the error
};

/// Of the three replies, or four, in their order.
sentinel_answer read_sentinel_answer(std::vector<resp::value> const& replies);

/// The channel on which Sentinels publish `<name> <old host> <old port> <new host> <new port>`.
constexpr std::string_view switch_channel = "+switch-master";
/// Of a message on it: whether it is about this master.
bool is_about(std::string_view message, std::string_view master_name) noexcept;

} // namespace redlatch::connection
