#include "report.hpp"

#include "report_cells.hpp"

#include <cstdio>

namespace redlatch::bench {

namespace {

/// Columns are counted in characters, not in bytes: µ and ≥ have two and three.
std::string padded(std::string const& text, std::size_t width, bool right) {
    std::size_t characters = 0;
    for (char const byte : text) characters += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    std::string const blanks(characters < width ? width - characters : 0, ' ');
    return right ? blanks + text : text + blanks;
}

std::string row(std::vector<std::string> const& texts) {
    std::string result = padded(texts[0], 38, false);
    for (std::size_t column = 1; column < texts.size(); ++column)
        result += padded(texts[column], cell_width(column), true);
    return result + "\n";
}

} // namespace

std::string as_text(report const& all) {
    std::string text;
    for (auto const& [key, value] : all.surroundings) text += padded(key + ":", 22, false) + value + "\n";
    std::string placement;
    for (auto const& one : all.results) {
        if (one.placement != placement) {
            placement = one.placement;
            text += "\n" + placement_title(placement) + "\n";
        }
        text += "\n" + row(headings(one));
        for (auto const& each : one.lines) text += row(cells(one, each));
    }
    return text;
}

} // namespace redlatch::bench
