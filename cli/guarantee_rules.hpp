// What the rules of redlatch doctor are made of: a question, and the words of an answer.
#pragma once

#include "guarantees.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::cli {

struct question {
    server_setup const& setup;
    server_facts const& server;
    lock_plans const& plans;
};

struct verdict {
    standing state = standing::unknown;
    std::string reason{};
    std::string advice{};
};

inline verdict holds(std::string reason, std::string advice = {}) {
    return {standing::holds, std::move(reason), std::move(advice)};
}
inline verdict fails(std::string reason, std::string advice) {
    return {standing::fails, std::move(reason), std::move(advice)};
}

/// For want of what a command would have said.
inline verdict unknown(question const& about, std::string_view command, std::string advice) {
    std::string reason = "The server does not say it";
    for (auto const& one : about.server.refused)
        if (one.command.starts_with(command)) reason = one.command + " was not answered (" + one.reason + ")";
    return {standing::unknown, reason + '.', std::move(advice)};
}

inline std::string number_of(long long number, std::string const& one, std::string const& many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

inline std::string allow(std::string const& commands, question const& about) {
    return "Let the user " + about.plans.user + " run it (ACL SETUSER " + about.plans.user + " " + commands
           + "), or look it up where the server is set up.";
}

// Those about replicas; none: it does not concern the server.
std::optional<verdict> judge_failover(question const& about);
std::optional<verdict> judge_lone_master(question const& about);
std::optional<verdict> judge_automatic_failover(question const& about);
std::optional<verdict> judge_replicas_confirm(question const& about);

} // namespace redlatch::cli
