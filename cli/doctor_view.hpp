// What redlatch doctor has found out, as it is shown.
#pragma once

#include "guarantees.hpp"

#include <redlatch/config.hpp>
#include <redlatch/server_facts.hpp>

#include <string>
#include <vector>

namespace redlatch::cli {

struct diagnosis {
    server_setup setup{};
    std::vector<std::vector<guarantee>> guarantees{}; ///< for each server; none for one that could not be asked
    std::vector<std::string> accepted{};              ///< guarantees that need not hold
    command_set commands = command_set::automatic;    ///< as configured

    /// The worst of what counts: a server that could not be asked is as one that fails.
    standing verdict() const noexcept;
    bool is_accepted(guarantee const& one) const noexcept;
};

/// A section for each server.
std::string text_of(diagnosis const& found);
/// One line; the members are in the man page.
std::string json_of(diagnosis const& found);

} // namespace redlatch::cli
