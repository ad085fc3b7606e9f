#include "connection/server_error.hpp"
#include "scripted/replies.hpp"

#include <gtest/gtest.h>

namespace redlatch::connection {
namespace {

struct row {
    char const* text;
    verdict means;
    errc code;
};

row const errors[] = {
    {"LOADING Redis is loading the dataset in memory", verdict::not_executed, errc::disconnected},
    {"BUSY Redis is busy running a script.", verdict::not_executed, errc::disconnected},
    {"OOM command not allowed when used memory > 'maxmemory'.", verdict::not_executed, errc::disconnected},
    {"MISCONF Redis is configured to save RDB snapshots", verdict::not_executed, errc::disconnected},
    {"MASTERDOWN Link with MASTER is down", verdict::not_executed, errc::disconnected},
    {"CLUSTERDOWN Hash slot not served", verdict::not_executed, errc::disconnected},
    {"TRYAGAIN Multiple keys request during rehashing of slot", verdict::not_executed, errc::disconnected},
    {"NOREPLICAS Not enough good replicas to write.", verdict::not_executed, errc::disconnected},
    {"READONLY You can't write against a read only replica.", verdict::read_only, errc::disconnected},
    {"NOSCRIPT No matching script.", verdict::no_script, errc::server_refused},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", verdict::wrong_type, errc::wrong_type},
    {"NOPERM this user has no permissions", verdict::refused, errc::server_refused},
    {"NOAUTH Authentication required.", verdict::refused, errc::server_refused},
    {"ERR unknown command", verdict::refused, errc::server_refused},
    {"MOVED 3999 127.0.0.1:6381", verdict::refused, errc::server_refused},
    {"", verdict::refused, errc::server_refused},
    // The first word counts as a whole.
    {"BUSY", verdict::not_executed, errc::disconnected},
    {"BUSYKEY Target key name already exists.", verdict::refused, errc::server_refused},
    {"BUSYGROUP Consumer Group name already exists", verdict::refused, errc::server_refused},
    {"ERR BUSY in the text says nothing", verdict::refused, errc::server_refused},
    {" BUSY", verdict::refused, errc::server_refused},
    {"busy", verdict::refused, errc::server_refused},
    {"OOMPH", verdict::refused, errc::server_refused},
    {"LOAD", verdict::refused, errc::server_refused},
};

TEST(server_error, is_judged_by_its_first_word_as_a_whole) {
    for (auto const& [text, means, code] : errors) {
        EXPECT_EQ(judge(scripted::error(text)), means) << text;
        EXPECT_EQ(to_errc(judge(scripted::error(text))), code) << text;
    }
}

} // namespace
} // namespace redlatch::connection
