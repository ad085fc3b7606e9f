// Memory that ends at any allocation: nothing may be thrown through the C code of hiredis, and a reply that could not be
// kept is not passed over.
#include "resp/reader.hpp"
#include "resp/show.hpp"
#include "scripted/missing_memory.hpp"

#include <gtest/gtest.h>
#include <new>
#include <string>

namespace redlatch::resp::test {
namespace {

using scripted::allocations_left;

struct ending {
    bool complete = false; ///< all replies were read
    bool broken = false;
    std::string replies{};
    std::string problem{};
};

ending read_with(int allocations, std::string_view stream) {
    reader subject;
    ending seen;
    value replies[8];
    int count = 0;
    auto result = reader::result::need_more;
    allocations_left = allocations;
    subject.feed(stream);
    do {
        result = subject.next(replies[count]);
        if (result == reader::result::value) ++count;
    } while (result == reader::result::value);
    allocations_left = -1;
    seen.broken = result == reader::result::broken;
    seen.complete = result == reader::result::need_more;
    for (auto const* reply = replies; reply != replies + count; ++reply) seen.replies += show(*reply) + ";";
    seen.problem = subject.problem();
    if (seen.broken) {
        value later;
        EXPECT_EQ(subject.next(later), reader::result::broken);
    }
    return seen;
}

TEST(out_of_memory, at_any_allocation_breaks_the_stream_with_a_message) {
    std::string const long_text(100, 'x');
    std::string const stream =
        ":1\r\n*2\r\n$100\r\n" + long_text + "\r\n*2\r\n:2\r\n$100\r\n" + long_text + "\r\n+OK\r\n";
    std::string const replies[] = {"", "1;", "1;[\"" + long_text + "\" [2 \"" + long_text + "\"]];"};
    int refused = 0;
    int allocations = 0;
    for (;; ++allocations) {
        SCOPED_TRACE(allocations);
        auto const seen = read_with(allocations, stream);
        if (seen.complete) break;
        ASSERT_TRUE(seen.broken) << "neither read nor refused";
        EXPECT_EQ(seen.problem, "there is not enough memory for the reply");
        EXPECT_EQ(seen.replies, replies[1]);
        ++refused;
    }
    EXPECT_GE(refused, 4) << "two arrays and two long strings need memory";
    EXPECT_EQ(read_with(allocations, stream).replies, replies[2] + "+OK;");
}

TEST(out_of_memory, spares_numbers_nil_and_short_statuses) {
    auto const seen = read_with(0, ":1\r\n$-1\r\n+OK\r\n*-1\r\n");
    EXPECT_TRUE(seen.complete) << seen.problem;
    EXPECT_EQ(seen.replies, "1;nil;+OK;nil;");
}

TEST(out_of_memory, while_bytes_are_taken_breaks_the_stream_too) {
    auto const seen = read_with(0, std::string(100'000, 'x'));
    EXPECT_TRUE(seen.broken);
    EXPECT_EQ(seen.problem, "there is not enough memory for the reply");
}

} // namespace
} // namespace redlatch::resp::test
