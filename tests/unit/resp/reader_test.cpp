#include "resp/reader.hpp"
#include "resp/show.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace redlatch::resp::test {
namespace {

using namespace std::string_literals;

struct row {
    std::string stream;
    std::string shown;
};

row const replies[] = {
    {"+OK\r\n", "+OK;"},
    {"+\r\n", "+;"},
    {"-ERR unknown command\r\n", "!ERR unknown command;"},
    {":0\r\n", "0;"},
    {":-1\r\n", "-1;"},
    {":9223372036854775807\r\n", "9223372036854775807;"},
    {":-9223372036854775808\r\n", "-9223372036854775808;"},
    {"$0\r\n\r\n", "\"\";"},
    {"$5\r\nhello\r\n", "\"hello\";"},
    {"$7\r\na\r\n\0\xff$b\r\n"s, "\"a\r\n\0\xff$b\";"s},
    {"$-1\r\n", "nil;"},
    {"*-1\r\n", "nil;"},
    {"*0\r\n", "[];"},
    {"*1\r\n:7\r\n", "[7];"},
    {"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n0\r\n", "[\"message\" \"c\" \"0\"];"},
    {"*3\r\n*0\r\n*2\r\n:1\r\n*-1\r\n$-1\r\n", "[[] [1 nil] nil];"},
    {"*2\r\n-ERR inside\r\n+OK\r\n", "[!ERR inside +OK];"},
    {"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "[[[[[[[1]]]]]]];"},
};

TEST(reader, reads_every_kind_of_reply_in_pieces_of_every_size) {
    for (auto const& [stream, shown] : replies) {
        for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
            auto const seen = read_all(stream, piece);
            EXPECT_EQ(seen.shown, shown) << stream << " in pieces of " << piece;
            EXPECT_FALSE(seen.broken) << seen.problem;
        }
    }
}

TEST(reader, reads_pipelined_replies_in_pieces_of_every_size) {
    std::string stream;
    std::string shown;
    for (auto const& reply : replies) {
        stream += reply.stream;
        shown += reply.shown;
    }
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        EXPECT_EQ(read_all(stream, piece).shown, shown) << "in pieces of " << piece;
    }
}

TEST(reader, needs_more_at_every_place_where_a_reply_may_be_cut) {
    for (auto const& [stream, shown] : replies) {
        for (std::size_t cut = 0; cut < stream.size(); ++cut) {
            reader subject;
            value reply;
            subject.feed(std::string_view(stream).substr(0, cut));
            ASSERT_EQ(subject.next(reply), reader::result::need_more) << stream << " cut at " << cut;
            ASSERT_EQ(subject.next(reply), reader::result::need_more) << "asked twice";
            subject.feed(std::string_view(stream).substr(cut));
            ASSERT_EQ(subject.next(reply), reader::result::value);
            EXPECT_EQ(show(reply) + ";", shown);
        }
    }
}

TEST(reader, leaves_the_callers_value_alone_while_it_needs_more) {
    reader subject;
    value reply{.type = value::kind::integer, .integer = 42};
    subject.feed("*2\r\n:1\r\n");
    ASSERT_EQ(subject.next(reply), reader::result::need_more);
    EXPECT_EQ(show(reply), "42");
}

TEST(reader, leaves_nothing_of_an_earlier_reply_in_a_later_one) {
    reader subject;
    value reply;
    subject.feed("*2\r\n$3\r\nabc\r\n:5\r\n$3\r\nxyz\r\n:6\r\n$-1\r\n");
    ASSERT_EQ(subject.next(reply), reader::result::value);
    ASSERT_EQ(subject.next(reply), reader::result::value);
    EXPECT_TRUE(reply.items.empty());
    ASSERT_EQ(subject.next(reply), reader::result::value);
    EXPECT_EQ(reply.text, "");
    ASSERT_EQ(subject.next(reply), reader::result::value);
    EXPECT_EQ(reply.integer, 0);
    EXPECT_EQ(subject.next(reply), reader::result::need_more);
}

TEST(reader, reads_a_string_of_megabytes_and_goes_on) {
    std::string const text(5'000'000, 'x');
    std::string const stream = "$5000000\r\n" + text + "\r\n:1\r\n";
    for (std::size_t piece : {std::size_t{1'460}, std::size_t{65'536}, stream.size()}) {
        auto const seen = read_all(stream, piece);
        EXPECT_EQ(seen.shown.size(), text.size() + 5) << seen.problem;
        EXPECT_TRUE(seen.shown.ends_with("x\";1;"));
    }
}

TEST(reader, keeps_all_replies_of_one_large_feed_in_order) {
    std::string stream;
    std::string shown;
    for (int i = 0; i < 20'000; ++i) {
        stream += ":" + std::to_string(i) + "\r\n";
        shown += std::to_string(i) + ";";
    }
    EXPECT_EQ(read_all(stream, stream.size()).shown, shown);
}

TEST(reader, takes_feeds_that_come_before_the_earlier_ones_are_read) {
    reader subject;
    for (int i = 0; i < 20'000; ++i) subject.feed(":" + std::to_string(i) + "\r\n");
    value reply;
    for (int i = 0; i < 20'000; ++i) {
        ASSERT_EQ(subject.next(reply), reader::result::value);
        ASSERT_EQ(reply.integer, i);
        subject.feed("+more\r\n");
    }
    for (int i = 0; i < 20'000; ++i) ASSERT_EQ(subject.next(reply), reader::result::value);
    EXPECT_EQ(show(reply), "+more");
    EXPECT_EQ(subject.next(reply), reader::result::need_more);
}

TEST(reader, can_be_moved_within_a_reply) {
    reader first;
    first.feed("*2\r\n:1\r\n$5\r\nhe");
    value reply;
    ASSERT_EQ(first.next(reply), reader::result::need_more);
    reader second = std::move(first);
    second.feed("llo\r\n");
    ASSERT_EQ(second.next(reply), reader::result::value);
    EXPECT_EQ(show(reply), "[1 \"hello\"]");
}

} // namespace
} // namespace redlatch::resp::test
