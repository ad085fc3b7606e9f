#include "page.hpp"

#include <algorithm>

namespace redlatch::chaos {

namespace {

constexpr std::string_view heading = "\n## ";

std::vector<page_section> sections_of_page(std::string const& page) {
    std::vector<page_section> result;
    for (auto at = page.find(heading); at != std::string::npos;) {
        auto const begin = at + 1;
        auto const name = at + heading.size();
        at = page.find(heading, begin);
        auto const end = at == std::string::npos ? page.size() : at + 1;
        auto text = page.substr(begin, end - begin);
        while (text.ends_with("\n\n")) text.pop_back();
        result.push_back({page.substr(name, page.find('\n', name) - name), std::move(text)});
    }
    return result;
}

} // namespace

std::string with_sections(std::string const& page, std::string const& head, std::vector<page_section> const& renewed) {
    auto sections = sections_of_page(page);
    for (auto const& each : renewed) {
        auto const same = [&](page_section const& other) { return other.title == each.title; };
        auto const found = std::find_if(sections.begin(), sections.end(), same);
        if (found != sections.end())
            found->text = each.text;
        else
            sections.push_back(each);
    }
    std::string result = head;
    for (auto const& each : sections) result += "\n" + each.text;
    return result;
}

} // namespace redlatch::chaos
