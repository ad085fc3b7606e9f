// One step of a random sequence: what somebody does to both servers.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace redlatch::sim {

/// A word "<id N>" or "<addr N>" stands for the CLIENT ID or the address of client N, which each side knows by itself.
using word_list = std::vector<std::string>;

struct step {
    enum class kind {
        commands,      ///< sent by `client`, in one piece to the real server, in several to the simulated one
        disconnect,    ///< by `client`
        refuse,        ///< rights that the user "default" loses; he has all others
        read_only,     ///< becomes one, or ceases to be one
        out_of_memory, ///< becomes that, or ceases
    };

    kind what = kind::commands;
    std::size_t client = 0;
    std::vector<word_list> commands{};
    std::set<std::string, std::less<>> refused{};
    bool on = false;
};

/// For the failure message: one line, unprintable bytes as \xHH.
std::string shown(step const& one);
std::string shown(std::string_view bytes);

} // namespace redlatch::sim
