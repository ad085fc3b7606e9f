// The message with which a piece of configuration is refused.
#pragma once

#include <redlatch/error.hpp>

#include <gtest/gtest.h>
#include <string>

namespace redlatch::test {

/// What `action()` says when it throws error(bad_config); a failed test if it does not.
template <class Action> std::string refusal(Action&& action) {
    try {
        action();
    } catch (error const& problem) {
        EXPECT_EQ(problem.reason(), errc::bad_config);
        return problem.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
}

} // namespace redlatch::test
