#include "connection/sentinel_list.hpp"

#include <gmock/gmock.h>

namespace redlatch::connection {
namespace {

using ::testing::ElementsAre;

host_and_port const a{"a", 1};
host_and_port const b{"b", 2};
host_and_port const c{"c", 3};
host_and_port const d{"d", 4};

TEST(sentinel_list, begins_in_the_order_of_the_configuration) {
    EXPECT_THAT(sentinel_list({b, a, b}).in_order(), ElementsAre(b, a)) << "each once";
}

TEST(sentinel_list, has_the_one_that_answered_first_and_the_one_that_failed_last) {
    sentinel_list all({a, b, c});
    all.on_answer(c);
    EXPECT_THAT(all.in_order(), ElementsAre(c, a, b));
    all.on_failure(c);
    EXPECT_THAT(all.in_order(), ElementsAre(a, b, c));
    all.on_failure(b);
    EXPECT_THAT(all.in_order(), ElementsAre(a, c, b));
    all.on_failure(d);
    all.on_answer(d);
    EXPECT_THAT(all.in_order(), ElementsAre(a, c, b)) << "of an unknown one nothing is learned";
}

TEST(sentinel_list, learns_of_others_and_forgets_those_that_are_gone) {
    sentinel_list all({a});
    all.on_others({b, c}, a);
    EXPECT_THAT(all.in_order(), ElementsAre(a, b, c));
    all.on_answer(b);
    all.on_others({d, a}, b);
    EXPECT_THAT(all.in_order(), ElementsAre(b, a, d)) << "who says it stays, and so does the configured one";
    all.on_others({}, a);
    EXPECT_THAT(all.in_order(), ElementsAre(a));
}

TEST(address_map, replaces_what_it_has_and_leaves_the_rest) {
    address_map const map(std::map<host_and_port, host_and_port>{{a, b}});
    EXPECT_EQ(map(a), b);
    EXPECT_EQ(map(b), b);
    EXPECT_EQ(map({"a", 2}), (host_and_port{"a", 2})) << "another port is another server";
}

} // namespace
} // namespace redlatch::connection
