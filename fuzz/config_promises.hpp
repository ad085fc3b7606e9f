// What holds for every source of a configuration: a value or redlatch::error(bad_config) with a message.
#pragma once

#include "check.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <string_view>

namespace redlatch::fuzz {

template <typename Read> void read_twice(Read read) {
    config first;
    try {
        first = read();
    } catch (error const& problem) {
        check(problem.code() == errc::bad_config, "a bad configuration is called so");
        check(!std::string_view(problem.what()).empty(), "an error has a message");
        return;
    }
    auto const second = read();
    check(first.address == second.address && first.username == second.username && first.password == second.password
              && first.topology == second.topology,
          "the same text means the same");
    try {
        first.validate();
    } catch (error const& problem) {
        check(problem.code() == errc::bad_config, "a bad configuration is called so");
    }
}

} // namespace redlatch::fuzz
