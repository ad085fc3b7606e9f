// Everything at once over TLS: a quarter of the time that it takes without, and a few seconds at least.
#include "everything_at_once.hpp"
#include "support/tls_server.hpp"

namespace redlatch::test {
namespace {

TEST(mixed_stress, everything_at_once_ends_and_leaves_nothing_behind_with_tls) {
    if (!test_server_has_tls()) GTEST_SKIP() << "this server was built without TLS";
    tls_server server;
    config how{.address = server.uri()};
    how.tls.ca_file = server.ca_file();
    how.retry_attempts = 1000; // a client is made although connections break
    // A handshake takes long under the thread sanitizer, and more than one is to be over before a connection breaks.
    everything_at_once(server.server(), how, std::max(4s, run_time::as_asked_for() / 4), 300ms).run();
}

} // namespace
} // namespace redlatch::test
