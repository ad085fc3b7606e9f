// Lines of a name and what it is, in two columns.
#pragma once

#include "text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace redlatch::cli {

class labelled_lines {
public:
    /// `indent`: so many blanks stand before each line.
    explicit labelled_lines(std::size_t indent = 0) noexcept : indent_(indent) {}

    void add(std::string_view name, std::string const& value) {
        constexpr std::size_t width = 19;
        text_.append(indent_, ' ').append(name).append(width - std::min(name.size(), width - 1), ' ');
        text_.append(printable_message(value)).append("\n");
    }
    void add_if(bool shown, std::string_view name, std::string const& value) {
        if (shown) add(name, value);
    }
    std::string const& text() const noexcept { return text_; }

private:
    std::size_t indent_;
    std::string text_{};
};

} // namespace redlatch::cli
