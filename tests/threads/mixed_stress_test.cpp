// Everything at once, for a few seconds, or as many as REDLATCH_STRESS_SECONDS says.
#include "everything_at_once.hpp"

namespace redlatch::test {
namespace {

TEST(mixed_stress, everything_at_once_ends_and_leaves_nothing_behind) {
    redis_server server;
    everything_at_once(server, {.address = server.uri()}, run_time::as_asked_for()).run();
}

} // namespace
} // namespace redlatch::test
