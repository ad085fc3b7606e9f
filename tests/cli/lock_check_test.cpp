#include "lock_check.hpp"

#include <redlatch/error.hpp>

#include <gtest/gtest.h>
#include <string>

namespace redlatch::cli {
namespace {

std::string const client = "0e1f2a3b-0000-4000-8000-0123456789ab";

lock_info held_by(std::string const& owner, std::string const& of_client, std::string const& holder,
                  std::int64_t count) {
    lock_info seen;
    seen.name = "job";
    seen.held = true;
    seen.owners.push_back({owner, of_client, holder, count});
    return seen;
}

TEST(require_lock, is_content_with_locks_of_all_kinds_and_with_free_ones) {
    EXPECT_NO_THROW(require_lock({}));
    EXPECT_NO_THROW(require_lock(held_by(client + ":71", client, "71", 1)));
    EXPECT_NO_THROW(require_lock(held_by(client + ":71:write", client, "71", 3)));
    EXPECT_NO_THROW(require_lock(held_by(client + ":71:a candidate", client, "71", 1)));
}

TEST(require_lock, refuses_every_other_hash) {
    EXPECT_THROW(require_lock(held_by("name", "name", "", 0)), error);
    EXPECT_THROW(require_lock(held_by("session:7", "session", "7", 1)), error);
    EXPECT_THROW(require_lock(held_by(client + ":x", client, "x", 1)), error);
    EXPECT_THROW(require_lock(held_by(client + ":7more", client, "7", 1)), error);
    EXPECT_THROW(require_lock(held_by(client + ":7", client, "7", 0)), error) << "a count that is none";
    auto two = held_by(client + ":71", client, "71", 1);
    two.owners.push_back({"name", "name", "", 0});
    EXPECT_THROW(require_lock(two), error);
    lock_info only_a_mode;
    only_a_mode.held = true;
    EXPECT_THROW(require_lock(only_a_mode), error);
}

} // namespace
} // namespace redlatch::cli
