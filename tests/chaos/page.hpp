// A page of Markdown of which some sections are written anew.
#pragma once

#include <string>
#include <vector>

namespace redlatch::chaos {

/// Of the second level. Its text goes on to the next one and begins with its heading.
struct page_section {
    std::string title;
    std::string text;
};

/// All before the first section is `head` now; the sections of these titles have these texts, where they were, and behind all
/// others if they were not there. Other sections stay as they are.
std::string with_sections(std::string const& page, std::string const& head, std::vector<page_section> const& renewed);

} // namespace redlatch::chaos
