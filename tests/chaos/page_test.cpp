// Sections of a page are renewed, and nothing else of it is touched.
#include "page.hpp"

#include <gtest/gtest.h>

namespace redlatch::chaos {
namespace {

std::string const page = "# Page\n\nOld words.\n\n## One\n\na\n\n### Within\n\nb\n\n## Two\nc\n";
std::string const head = "# Page\n\nNew words.\n";

TEST(chaos_page, keeps_the_sections_that_are_not_renewed) {
    EXPECT_EQ(with_sections(page, head, {}), "# Page\n\nNew words.\n\n## One\n\na\n\n### Within\n\nb\n\n## Two\nc\n");
}

TEST(chaos_page, puts_a_section_where_it_was) {
    EXPECT_EQ(with_sections(page, head, {{"One", "## One\n\nnew\n"}}),
              "# Page\n\nNew words.\n\n## One\n\nnew\n\n## Two\nc\n");
}

TEST(chaos_page, puts_a_new_section_behind_the_others) {
    EXPECT_EQ(with_sections(page, head, {{"Three", "## Three\nd\n"}, {"Two", "## Two\nnew\n"}}),
              "# Page\n\nNew words.\n\n## One\n\na\n\n### Within\n\nb\n\n## Two\nnew\n\n## Three\nd\n");
}

TEST(chaos_page, begins_an_empty_page) {
    EXPECT_EQ(with_sections("", head, {{"One", "## One\na\n"}}), "# Page\n\nNew words.\n\n## One\na\n");
}

} // namespace
} // namespace redlatch::chaos
