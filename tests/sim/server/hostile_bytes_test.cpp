// Whatever one client sends, the server answers in whole replies, goes on, and serves the others.
#include "sim/server/differential/chance.hpp"
#include "sim/server/differential/generator.hpp"
#include "sim/server/node_client.hpp"
#include "support/resp_scanner.hpp"

#include <gtest/gtest.h>

namespace redlatch::sim {
namespace {

std::string bytes_of(std::vector<step> const& sequence) {
    std::string bytes;
    for (auto const& one : sequence) {
        for (auto const& command : one.commands) bytes += encoded({command.begin(), command.end()});
    }
    return bytes;
}

void damage(std::string& bytes, chance& draw) {
    for (auto left = 1 + draw.below(8); left > 0 && !bytes.empty(); --left) {
        auto const at = draw.below(bytes.size());
        switch (draw.below(4)) {
        case 0: bytes[at] = static_cast<char>(draw.below(256)); break;
        case 1: bytes.erase(at, 1 + draw.below(9)); break;
        case 2: bytes.insert(at, bytes.substr(draw.below(bytes.size()), draw.below(30))); break;
        default: bytes.insert(at, draw.of({"\r\n", "*", "$", "-1", "999999999", "*2\r\n", "$0\r\n"}));
        }
    }
}

TEST(hostile_bytes, are_answered_in_whole_replies) {
    std::size_t ended = 0;
    for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
        SCOPED_TRACE(seed);
        chance draw(seed);
        auto bytes = bytes_of(random_sequence(seed));
        damage(bytes, draw);
        redis_node node({});
        node_client hostile(node);
        node_client other(node, "10.0.0.3:1");
        std::string output;
        for (std::string_view rest = bytes; !rest.empty();) {
            auto const size = std::min(rest.size(), 1 + draw.below(300));
            output += hostile.send(rest.substr(0, size));
            rest.remove_prefix(size);
        }
        for (std::string_view rest = output; !rest.empty();) {
            auto const size = test::value_length(rest);
            ASSERT_TRUE(size) << "part of a reply: " << shown(rest);
            rest.remove_prefix(*size);
        }
        ended += hostile.ended() ? 1u : 0u;
        EXPECT_EQ(other("PING"), "+PONG\r\n");
    }
    EXPECT_GT(ended, 100u) << "what is damaged does break streams";
}

} // namespace
} // namespace redlatch::sim
