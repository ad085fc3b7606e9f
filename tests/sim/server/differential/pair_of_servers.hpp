// A simulated and a real server that get the same steps, and the first difference between them.
#pragma once

#include "sim/server/differential/comparison.hpp"
#include "sim/server/differential/generator.hpp"
#include "sim/server/differential/step.hpp"
#include "sim/server/node_client.hpp"
#include "support/redis_server.hpp"

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace redlatch::sim {

class pair_of_servers {
public:
    pair_of_servers();

    /// What the real server calls its version.
    std::string version();

    /// Plays a sequence on empty servers and compares replies, messages, ended connections and, at its end, the data.
    /// None: no difference; else a description of the first one.
    std::optional<std::string> play(std::vector<step> const& sequence);

    std::uint64_t commands_played() const noexcept { return commands_played_; }

private:
    // Both sides of one client.
    struct connected {
        redis_node::client simulated = 0;
        test::descriptor real{};
        std::string real_output{};
    };
    // Kept when it disconnects: somebody may still want to kill it.
    struct identity {
        std::string simulated_id = "1000000";
        std::string real_id = "1000000";
        std::string address = "127.0.0.1:1";
    };

    void begin();
    void connect(std::size_t which);
    void play_step(step const& one);
    void refuse(std::set<std::string, std::less<>> const& rights);
    void send(std::size_t which, std::vector<word_list> const& commands);
    std::string bytes_of(std::vector<word_list> const& commands, bool real) const;
    void feed_in_pieces(redis_node::client to, std::string_view bytes);

    /// What has come to everybody since the last call; `commands` are those of `sender`.
    void compare_output(std::size_t sender, std::vector<word_list> const& commands);
    void compare_replies(connected& to, std::vector<word_list> const& commands);
    void compare_data();
    std::string take_real_value(connected& from);
    void expect_real_end(connected& from);

    struct both;
    both administer(word_list const& command);
    void measure_step();
    same_but allowed();

    test::redis_server real_{{.over = test::server_options::transport::tcp, .program = "redis-server"}};
    test::raw_client real_admin_;
    std::optional<redis_node> simulated_{};
    std::optional<node_client> simulated_admin_{};
    std::array<std::optional<connected>, clients_of_a_sequence> clients_{};
    std::array<identity, clients_of_a_sequence> identities_{};
    std::map<std::string, std::string> simulated_ids_{};
    std::chrono::steady_clock::time_point step_began_{};
    std::chrono::steady_clock::duration longest_step_{};
    std::size_t pieces_ = 0;
    std::uint64_t commands_played_ = 0;
};

} // namespace redlatch::sim
