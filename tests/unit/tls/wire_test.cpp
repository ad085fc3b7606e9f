// What a connection with TLS says of a failure: TLS's reason where it is TLS's, the system's where it is not.
#include "conversation.hpp"
#include "io/wire.hpp"

#include <array>
#include <cerrno>
#include <gmock/gmock.h>
#include <sys/socket.h>

namespace redlatch::io {
namespace {

using ::testing::HasSubstr;

TEST(encrypted_wire, tells_a_failure_of_the_system_from_one_of_tls) {
    test::tls_world world;
    auto const client = world.client();
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    unique_fd const other(ends[1]);
    wire const one(unique_fd{ends[0]}, client->begin());
    EXPECT_THAT(one.failure(-1, ECONNRESET), HasSubstr("reset by peer"));
    EXPECT_EQ(one.failure(-1, EAGAIN), "");
}

} // namespace
} // namespace redlatch::io
