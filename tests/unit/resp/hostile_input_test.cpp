#include "resp/allocated.hpp"
#include "resp/reader.hpp"
#include "resp/show.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace redlatch::resp::test {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

struct row {
    std::string stream;
    std::string problem; ///< a part of the message
};

std::string repeated(std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

row const refused[] = {
    // not the protocol
    {"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak the Redis protocol"},
    {"\x15\x03\x01\x00\x02\x02\x50"s, "does not speak the Redis protocol"}, // a TLS alert
    {"\r\n", "does not speak the Redis protocol"},
    {"\0"s, "does not speak the Redis protocol"},
    {":abc\r\n", "does not speak the Redis protocol"},
    {":\r\n", "does not speak the Redis protocol"},
    {":1 \r\n", "does not speak the Redis protocol"},
    {":9223372036854775808\r\n", "does not speak the Redis protocol"},
    {"+a\rb\r\n", ""},
    {"-ERR a\nb\r\n", ""},
    // types of RESP3, which was not asked for
    {"%1\r\n+a\r\n:1\r\n", ""},
    {"~1\r\n:1\r\n", ""},
    {">1\r\n:1\r\n", ""},
    {",1.5\r\n", ""},
    {"#t\r\n", ""},
    {"_\r\n", ""},
    {"(12345\r\n", ""},
    {"=7\r\ntxt:abc\r\n", ""},
    // lengths
    {"$-2\r\n", "does not speak the Redis protocol"},
    {"$abc\r\n", "does not speak the Redis protocol"},
    {"$\r\n", "does not speak the Redis protocol"},
    {"$99999999999999999999\r\n", "does not speak the Redis protocol"},
    {"$9223372036854775807\r\n", "larger than 67108864 bytes"},
    {"$67108865\r\n", "larger than 67108864 bytes"},
    {"$3\r\nabcdef\r\n", "does not end where its announced length says"},
    {"$3\r\nab\r\n:1\r\n", "does not end where its announced length says"},
    {"*-2\r\n", "does not speak the Redis protocol"},
    {"*abc\r\n", "does not speak the Redis protocol"},
    {"*99999999999999999999\r\n", "does not speak the Redis protocol"},
    {"*2147483647\r\n", "more than 1048576 items"},
    {"*1048577\r\n", "more than 1048576 items"},
    {"*2\r\n*1048575\r\n", "more than 1048576 items"}, // all arrays of a reply together
    // depth
    {repeated("*1\r\n", 8) + ":1\r\n", ""},
    {repeated("*1\r\n", 100'000), ""},
};

TEST(hostile_input, is_refused_with_a_message_in_pieces_of_every_size) {
    for (auto const& [stream, problem] : refused) {
        for (std::size_t piece = 1; piece <= std::min<std::size_t>(stream.size(), 40); ++piece) {
            auto const seen = read_all(stream, piece);
            ASSERT_TRUE(seen.broken) << stream.substr(0, 40) << " in pieces of " << piece;
            EXPECT_EQ(seen.shown, "");
            EXPECT_FALSE(seen.problem.empty());
            EXPECT_THAT(seen.problem, HasSubstr(problem));
        }
    }
}

TEST(hostile_input, does_not_hide_the_replies_before_it) {
    for (auto const& [stream, problem] : refused) {
        for (std::size_t piece : {std::size_t{1}, std::size_t{5}, stream.size() + 10}) {
            auto const seen = read_all(":1\r\n+OK\r\n" + stream, piece);
            EXPECT_EQ(seen.shown, "1;+OK;");
            EXPECT_TRUE(seen.broken);
        }
    }
}

TEST(hostile_input, makes_the_reader_useless_for_ever) {
    reader subject;
    value reply;
    subject.feed("?\r\n:1\r\n");
    ASSERT_EQ(subject.next(reply), reader::result::broken);
    auto const problem = subject.problem();
    subject.feed("+OK\r\n");
    EXPECT_EQ(subject.next(reply), reader::result::broken);
    EXPECT_EQ(subject.problem(), problem);
    EXPECT_TRUE(reply.is_nil());
}

TEST(hostile_input, that_announces_much_takes_no_memory) {
    for (auto const* stream : {"$67108864\r\n", "$9223372036854775807\r\n", "*1048576\r\n", "*2147483647\r\n"}) {
        reader subject;
        value reply;
        allocated const before;
        subject.feed(stream);
        subject.next(reply);
        EXPECT_LT(before.more_now(), 8'192) << stream;
    }
}

TEST(hostile_input, of_an_endless_line_is_refused_with_bounded_memory) {
    for (auto const* start : {"+", "-", ":", "$", "*", "$1", "*1\r\n+"}) {
        reader subject;
        value reply;
        std::string const more(1'000, '1');
        allocated const before;
        subject.feed(start);
        auto result = subject.next(reply);
        for (int i = 0; i < 100 && result == reader::result::need_more; ++i) {
            subject.feed(more);
            result = subject.next(reply);
            EXPECT_LT(before.more_now(), 512 * 1'024);
        }
        EXPECT_EQ(result, reader::result::broken) << start;
    }
}

TEST(hostile_input, of_an_overlong_complete_line_is_refused_too) {
    EXPECT_TRUE(read_all("+" + std::string(100'000, 'x') + "\r\n", 200'000).broken);
    EXPECT_TRUE(read_all("-" + std::string(100'000, 'x') + "\r\n", 200'000).broken);
}

TEST(hostile_input, of_a_line_at_the_bound_is_judged_alike_however_it_comes) {
    for (std::size_t length : {65'535u, 65'536u, 65'537u}) {
        std::string const line = "+" + std::string(length, 'x') + "\r\n";
        for (std::size_t piece : {std::size_t{1'000}, length - 1, length, length + 1, length + 2, length + 3}) {
            EXPECT_EQ(read_all(line, piece).broken, length > 65'536) << length << " in pieces of " << piece;
        }
    }
}

// The bound holds for a reply however it comes: as one string, as many, as a whole or byte by byte.
TEST(hostile_input, larger_than_the_bound_is_refused_and_just_within_it_accepted) {
    limits const bounds{.bytes_per_reply = 100};
    std::string const within = "$92\r\n" + std::string(92, 'x') + "\r\n";                              // 99 bytes
    std::string const beyond = "$94\r\n" + std::string(94, 'x') + "\r\n";                              // 101 bytes
    std::string const many_within = "*2\r\n" + repeated("$41\r\n" + std::string(41, 'x') + "\r\n", 2); // 100 bytes
    std::string const many_beyond = "*3\r\n" + repeated("$41\r\n" + std::string(41, 'x') + "\r\n", 3);
    for (std::size_t piece : {1u, 7u, 99u, 100u, 1'000u}) {
        EXPECT_FALSE(read_all(repeated(within, 5), piece, bounds).broken);
        EXPECT_FALSE(read_all(repeated(many_within, 5), piece, bounds).broken);
        EXPECT_TRUE(read_all(within + beyond, piece, bounds).broken);
        EXPECT_TRUE(read_all(within + many_beyond, piece, bounds).broken);
    }
}

TEST(hostile_input, with_more_items_than_the_bound_is_refused_and_just_within_it_accepted) {
    limits const bounds{.items_per_reply = 4};
    std::string const within = "*2\r\n*2\r\n:1\r\n:2\r\n:3\r\n";
    std::string const beyond = "*2\r\n*2\r\n:1\r\n:2\r\n*1\r\n:3\r\n";
    for (std::size_t piece : {1u, 7u, 1'000u}) {
        EXPECT_FALSE(read_all(repeated(within, 5), piece, bounds).broken);
        EXPECT_TRUE(read_all(within + beyond, piece, bounds).broken);
    }
}

TEST(hostile_input, of_many_items_takes_memory_only_as_they_arrive) {
    reader subject;
    value reply;
    allocated const before;
    subject.feed("*1048576\r\n" + repeated(":1\r\n", 1'000));
    ASSERT_EQ(subject.next(reply), reader::result::need_more);
    EXPECT_LT(before.more_now(), 1'024 * 1'024);
}

} // namespace
} // namespace redlatch::resp::test
