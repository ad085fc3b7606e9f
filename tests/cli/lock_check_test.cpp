#include "lock_check.hpp"

#include <redlatch/error.hpp>

#include <gtest/gtest.h>
#include <string>

namespace redlatch::cli {
namespace {

TEST(require_lock, is_content_with_locks_and_with_free_ones) {
    EXPECT_NO_THROW(require_lock({}));
    lock_info held;
    held.held = true;
    EXPECT_NO_THROW(require_lock(held));
}

TEST(require_lock, names_the_field_that_no_lock_has) {
    lock_info seen;
    seen.name = "job";
    seen.held = true;
    seen.foreign_field = std::string(100'000, 'x') + "\x1b";
    try {
        require_lock(seen);
        ADD_FAILURE() << "not refused";
    } catch (error const& problem) {
        std::string const said = problem.what();
        EXPECT_EQ(problem.reason(), errc::wrong_type);
        EXPECT_NE(said.find("the key 'job' is a hash, but not a lock: its field 'xxx"), std::string::npos) << said;
        EXPECT_LT(said.size(), 400U);
        EXPECT_EQ(said.find('\x1b'), std::string::npos);
    }
}

} // namespace
} // namespace redlatch::cli
