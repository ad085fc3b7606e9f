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

/// Reads what the command line said, into the target.
using conversion = std::function<void()>;

/// A word or flag that the command knows.
struct declaration {
    std::string name;
    std::string metavar; ///< of its value; empty: it has none
    std::string text;
    std::function<conversion(CLI::App&)> build;
    bool positional = false;
    bool required = false;
    std::function<void(std::string const&)> take{}; ///< of a positional one

    std::string help() const { return help_entry(metavar.empty() ? name : name + ' ' + metavar, text); }
    bool occurs_in(arguments const& words) const {
        return positional || std::any_of(words.begin(), words.end(), [this](std::string_view word) {
                   return word.substr(0, word.find('=')) == name;
               });
    }
};

} // namespace

struct command_line::parts {
    std::string head{};
    std::string foot{};
    std::vector<declaration> known{};

    /// Values are read as text first: so all the sentences about wrong ones are ours, and name the flag.
    void declare(std::string const& name, std::string const& metavar, std::string const& text,
                 std::function<void(std::string const&)> apply) {
        auto build = [name, apply = std::move(apply)](CLI::App& app) -> conversion {
            auto const raw = std::make_shared<std::string>();
            auto* const option = app.add_option(name, *raw);
            return [raw, option, name, apply] {
                if (option->count() == 0) return;
                try {
                    apply(*raw);
                } catch (usage_error const& problem) {
                    throw usage_error(name + ": " + problem.what());
                }
            };
        };
        known.push_back({name, metavar, text, std::move(build)});
    }

    /// Words without any flag need no parser, and a lock costs less than one. False: they do, be it for its complaint.
    bool take_plain(arguments const& words) const {
        if (std::any_of(words.begin(), words.end(), [](auto const& word) { return word.starts_with('-'); }))
            return false;
        std::vector<declaration const*> places;
        for (auto const& one : known)
            if (one.positional) places.push_back(&one);
        auto const needed = std::count_if(places.begin(), places.end(), [](auto const* one) { return one->required; });
        if (words.size() > places.size() || std::ssize(words) < needed) return false;
        for (std::size_t i = 0; i < words.size(); ++i) places[i]->take(words[i]);
        return true;
    }

    /// CLI11 gets to know the flags that occur: to tell it of all the others would cost more than a lock. When it complains, it
    /// is asked again with all of them, so that it complains about the same as ever.
    void parse(arguments const& words, bool with_all) {
        CLI::App app;
        app.set_help_flag("-h,--help");
        std::vector<conversion> conversions;
        for (auto const& one : known)
            if (with_all || one.occurs_in(words)) conversions.push_back(one.build(app));
        app.parse(arguments(words.rbegin(), words.rend())); // in the order that CLI11 wants
        for (auto const& convert : conversions) convert();
    }

    std::string help() const {
        std::string words;
        std::string flags;
        for (auto const& one : known) (one.positional ? words : flags) += one.help();
        return head + (words.empty() ? "" : "\nArguments:\n" + words) + "\nFlags:\n" + flags
               + help_entry("-h,--help", "Show this help and exit.") + (foot.empty() ? "" : '\n' + foot);
    }
};

command_line::command_line(std::string const& usage, std::string const& description)
    : parts_(std::make_unique<parts>()) {
    parts_->head = "Usage: redlatch " + usage + "\n\n" + description + '\n';
}

command_line::~command_line() = default;

void command_line::word(std::string const& name, std::string const& text, std::string& target) {
    auto const build = [name, &target](CLI::App& app) -> conversion {
        app.add_option(name, target)->required();
        return [] {};
    };
    parts_->known.push_back({name, {}, text, build, true, true, [&target](std::string const& raw) { target = raw; }});
}

void command_line::optional_word(std::string const& name, std::string const& text, std::optional<std::string>& target) {
    auto const take = [&target](std::string const& raw) { target = raw; };
    parts_->declare(name, {}, text, take);
    parts_->known.back().positional = true;
    parts_->known.back().take = take;
}

void command_line::flag(std::string const& name, std::string const& text, bool& target) {
    auto const build = [name, &target](CLI::App& app) -> conversion {
        app.add_flag(name, target);
        return [] {};
    };
    parts_->known.push_back({name, {}, text, build});
}

void command_line::text(std::string const& name, std::string const& value_name, std::string const& text,
                        std::optional<std::string>& target) {
    parts_->declare(name, value_name, text, [&target](std::string const& raw) { target = raw; });
}

void command_line::time(std::string const& name, std::string const& text, std::optional<duration>& target) {
    parts_->declare(name, "DURATION", text, [&target](std::string const& raw) { target = parse_duration(raw); });
}

void command_line::number(std::string const& name, std::string const& text, int least, int most, int& target) {
    parts_->declare(name, "N", text, [&target, least, most](std::string const& raw) {
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
    parts_->declare(name, metavar, text, [&target, values = std::move(values), metavar](std::string const& raw) {
        if (std::find(values.begin(), values.end(), raw) == values.end())
            throw usage_error("'" + printable(raw) + "' is none of " + metavar);
        target = raw;
    });
}

void command_line::footer(std::string text) {
    parts_->foot = std::move(text);
}

void command_line::parse(arguments const& words) {
    if (parts_->take_plain(words)) return;
    try {
        try {
            parts_->parse(words, false);
        } catch (CLI::ParseError const&) {
            parts_->parse(words, true);
        }
    } catch (CLI::CallForHelp const&) {
        throw help_requested{parts_->help()};
    } catch (CLI::ParseError const& problem) {
        throw usage_error(problem.what());
    }
}

} // namespace redlatch::cli
