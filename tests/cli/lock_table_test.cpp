#include "lock_table.hpp"
#include "text.hpp"

#include <gtest/gtest.h>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace redlatch::cli {
namespace {

std::string const java = "0e1f2a3b-0000-4000-8000-0123456789ab";

lock_info lock(std::string name, std::optional<std::string> label = {}) {
    lock_info made;
    made.name = std::move(name);
    made.held = true;
    made.type = "reentrant";
    made.owners.push_back({java + ":7", java, "7", 1, std::move(label)});
    return made;
}

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> found;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) found.push_back(line);
    return found;
}

/// Where the client's id begins, in columns.
std::size_t client_column(std::string const& line, std::string const& word) {
    auto const at = line.find(word);
    return at == std::string::npos ? 0 : columns(line.substr(0, at));
}

TEST(lock_table, has_room_for_the_name_of_every_type) {
    auto values = lock("seats");
    values.type = "faster_multi";
    lock_table table;
    EXPECT_NE(table.rows_of({&values, 1}).find("faster_multi"), std::string::npos);
}

TEST(lock_table, keeps_its_columns_whatever_comes_later) {
    lock_table table;
    std::vector<lock_info> const first{lock("a"), lock("日本語の名前", "web-1:4711:importer")};
    std::vector<lock_info> const later{lock(std::string(65536, 'x')), lock("\x1b[31m\xe2\x80\xae"), lock("Größe"),
                                       lock(std::string(300, 'y'))};
    auto lines = lines_of(table.rows_of(first));
    for (auto const& line : lines_of(table.rows_of(later))) lines.push_back(line);
    ASSERT_EQ(lines.size(), 7U);
    auto const column = client_column(lines[0], "CLIENT");
    EXPECT_GT(column, 10U);
    for (std::size_t at = 1; at < lines.size(); ++at) {
        EXPECT_EQ(client_column(lines[at], java), column) << lines[at];
        EXPECT_LT(columns(lines[at]), 160U);
    }
    EXPECT_NE(lines[2].find("web-1:4711:importer"), std::string::npos) << lines[2];
}

TEST(lock_table, says_how_many_wait_where_the_server_knows) {
    lock_table table;
    auto queued = lock("a", "web-1");
    queued.waiters.resize(12);
    std::vector<lock_info> const both{queued, lock("b", "web-2")};
    auto const lines = lines_of(table.rows_of(both));
    ASSERT_EQ(lines.size(), 3U);
    auto const column = lines[0].find("WAITING");
    EXPECT_EQ(lines[1].substr(column), "12       web-1");
    EXPECT_EQ(lines[2].substr(column), "-        web-2");
}

TEST(lock_table, shows_a_queue_that_nobody_has_the_lock_of) {
    auto queued = lock("a");
    queued.held = false;
    queued.type = "fair";
    queued.owners.clear();
    queued.waiters.resize(2);
    lock_table table;
    auto const rows = lines_of(table.rows_of(std::span(&queued, 1)));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(std::regex_match(rows[1], std::regex("a +fair +\\(free for the first of its queue\\) +- +- +- +2 +-")))
        << rows[1];
}

TEST(lock_table, has_a_column_for_tokens_where_there_are_any) {
    lock_table table;
    std::vector<lock_info> locks{lock("a"), lock("b", "web-1")};
    EXPECT_EQ(lines_of(table.rows_of(locks))[0].find("TOKEN"), std::string::npos);
    locks[1].token = 4711;
    auto const lines = lines_of(table.rows_of(locks));
    ASSERT_EQ(lines.size(), 3U) << "with a heading of its own";
    auto const column = lines[0].find("TOKEN");
    ASSERT_NE(column, std::string::npos);
    EXPECT_EQ(lines[1].substr(column), "-      -");
    EXPECT_EQ(lines[2].substr(column), "4711   web-1");
    EXPECT_EQ(lines_of(table.rows_of(std::span(locks).first(1))).size(), 1U) << "no further heading";
}

TEST(lock_table, says_that_not_all_holders_were_read) {
    lock_table table;
    auto many = lock("a");
    many.truncated = true;
    auto const lines = lines_of(table.rows_of({&many, 1}));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_NE(lines[2].find("(and more, which were not read)"), std::string::npos) << lines[2];
}

TEST(lock_table, shows_more_of_names_when_the_first_ones_are_long) {
    lock_table table;
    std::vector<lock_info> const first{lock(std::string(40, 'x'))};
    EXPECT_NE(table.rows_of(first).find(std::string(40, 'x') + "  "), std::string::npos);
}

TEST(lock_table, bounds_what_a_hostile_hash_holds) {
    auto odd = lock("a", std::string(100'000, 'l'));
    odd.type = std::string(100'000, 't');
    odd.remaining_lease = duration(std::numeric_limits<std::int64_t>::max());
    odd.owners.push_back(
        {"", std::string(100'000, 'c'), std::string(100'000, 'h'), std::numeric_limits<std::int64_t>::min()});
    lock_table table;
    auto const lines = lines_of(table.rows_of(std::vector<lock_info>{odd}));
    ASSERT_EQ(lines.size(), 3U);
    for (auto const& line : lines) EXPECT_LT(line.size(), 320U);
    EXPECT_EQ(client_column(lines[1], java), client_column(lines[0], "CLIENT"));
}

TEST(lock_table, has_a_heading_once) {
    lock_table table;
    EXPECT_EQ(lines_of(table.rows_of(std::span<lock_info const>())).size(), 1U);
    EXPECT_TRUE(table.rows_of(std::span<lock_info const>()).empty());
}

TEST(lock_table, shows_how_many_permits_are_taken_and_when_the_first_comes_back) {
    std::vector<permit_info> const semaphores{
        {.name = "reports",
         .is_set = true,
         .permits = 3,
         .available = 1,
         .taken = 2,
         .leases = {{"12", duration(90'000)}, {"34", {}}}},
        {.name = "pool", .is_set = true, .permits = 1, .taken = 1, .leases = {{"56", {}}}}};
    lock_table table;
    auto const lines = lines_of(table.rows_of(semaphores));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_TRUE(std::regex_match(lines[1], std::regex("reports +permits +- +- +2/3 +1m30s +- +-"))) << lines[1];
    EXPECT_TRUE(std::regex_match(lines[2], std::regex("pool +permits +- +- +1/1 +for ever +- +-"))) << lines[2];
}

} // namespace
} // namespace redlatch::cli
