#include "command_line.hpp"

#include "durations.hpp"
#include "exit_code.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>

namespace redlatch::cli {

namespace {

constexpr std::size_t width = 80;
constexpr std::size_t indent = 26;

/// `left` in its column, `text` wrapped beside it.
std::string help_entry(std::string const& left, std::string_view text) {
    std::string result = "  " + left;
    std::size_t column = result.size();
    if (column + 2 > indent) {
        result += '\n';
        column = 0;
    }
    result.append(indent - column, ' ');
    for (column = indent; !text.empty();) {
        auto const end = std::min(text.find(' '), text.size());
        if (column + end + 1 > width && column > indent) {
            result += '\n' + std::string(indent, ' ');
            column = indent;
        }
        if (column > indent) {
            result += ' ';
            ++column;
        }
        result += text.substr(0, end);
        column += end;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result + '\n';
}

} // namespace

struct command_line::parts {
    CLI::App app{};
    std::string head{};
    std::string words{};
    std::string flags{};
    std::string foot{};
    // Values are read as text first: so all the sentences about wrong ones are ours, and name the flag.
    std::vector<std::function<void()>> conversions{};
    void convert(std::string const& name, std::string const& metavar, std::string const& text,
                 std::function<void(std::string const&)> apply) {
        auto const raw = std::make_shared<std::string>();
        auto* option = app.add_option(name, *raw);
        flags += help_entry(name + ' ' + metavar, text);
        conversions.emplace_back([raw, option, name, apply = std::move(apply)] {
            if (option->count() == 0) return;
            try {
                apply(*raw);
            } catch (usage_error const& problem) {
                throw usage_error(name + ": " + problem.what());
            }
        });
    }
};

command_line::command_line(std::string const& usage, std::string const& description)
    : parts_(std::make_unique<parts>()) {
    parts_->head = "Usage: redlatch " + usage + "\n\n" + description + '\n';
    parts_->app.set_help_flag("-h,--help");
}

command_line::~command_line() = default;

void command_line::word(std::string const& name, std::string const& text, std::string& target) {
    parts_->app.add_option(name, target)->required();
    parts_->words += help_entry(name, text);
}

void command_line::optional_word(std::string const& name, std::string const& text, std::optional<std::string>& target) {
    auto const raw = std::make_shared<std::string>();
    auto* const option = parts_->app.add_option(name, *raw);
    parts_->conversions.emplace_back([raw, option, &target] {
        if (option->count() != 0) target = *raw;
    });
    parts_->words += help_entry(name, text);
}

void command_line::flag(std::string const& name, std::string const& text, bool& target) {
    parts_->app.add_flag(name, target);
    parts_->flags += help_entry(name, text);
}

void command_line::text(std::string const& name, std::string const& value_name, std::string const& text,
                        std::optional<std::string>& target) {
    parts_->convert(name, value_name, text, [&target](std::string const& raw) { target = raw; });
}

void command_line::time(std::string const& name, std::string const& text, std::optional<duration>& target) {
    parts_->convert(name, "DURATION", text, [&target](std::string const& raw) { target = parse_duration(raw); });
}

void command_line::number(std::string const& name, std::string const& text, int least, int most, int& target) {
    parts_->convert(name, "N", text, [&target, least, most](std::string const& raw) {
        int value = 0;
        auto const [end, problem] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
        if (problem != std::errc{} || end != raw.data() + raw.size() || value < least || value > most)
            throw usage_error("'" + printable(raw) + "' is not a whole number from " + std::to_string(least) + " to "
                              + std::to_string(most));
        target = value;
    });
}

void command_line::choice(std::string const& name, std::vector<std::string> values, std::string const& text,
                          std::string& target) {
    std::string metavar;
    for (auto const& value : values) metavar += (metavar.empty() ? "" : "|") + value;
    parts_->convert(name, metavar, text, [&target, values = std::move(values), metavar](std::string const& raw) {
        if (std::find(values.begin(), values.end(), raw) == values.end())
            throw usage_error("'" + printable(raw) + "' is none of " + metavar);
        target = raw;
    });
}

void command_line::footer(std::string text) {
    parts_->foot = std::move(text);
}

void command_line::parse(arguments words) {
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    try {
        parts_->app.parse(std::move(words));
    } catch (CLI::CallForHelp const&) {
        auto const& [app, head, args, flags, foot, conversions] = *parts_;
        throw help_requested{head + (args.empty() ? "" : "\nArguments:\n" + args) + "\nFlags:\n" + flags
                             + help_entry("-h,--help", "Show this help and exit.") + (foot.empty() ? "" : '\n' + foot)};
    } catch (CLI::ParseError const& problem) {
        throw usage_error(problem.what());
    }
    for (auto const& convert : parts_->conversions) convert();
}

} // namespace redlatch::cli
