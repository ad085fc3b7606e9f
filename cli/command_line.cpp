#include "command_line.hpp"

#include "complaint.hpp"
#include "durations.hpp"
#include "exit_code.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>
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

/// A word or flag that the command knows.
struct declaration {
    enum class kind { required_word, optional_word, value, flag };

    kind what;
    std::string name;
    std::string metavar; ///< of a value
    std::string text;
    /// Values are read as text first: so all the messages about wrong ones are ours.
    std::function<void(std::string const&)> take{};
    bool* target = nullptr; ///< of a flag

    bool is_word() const { return what == kind::required_word || what == kind::optional_word; }
    std::string help() const { return help_entry(metavar.empty() ? name : name + ' ' + metavar, text); }
    bool occurs_in(arguments const& words) const {
        return std::any_of(words.begin(), words.end(),
                           [this](std::string_view word) { return word.substr(0, word.find('=')) == name; });
    }

    /// Gives what the command line said to its target.
    void read(std::string const& raw) const {
        try {
            take(raw);
        } catch (usage_error const& problem) {
            throw usage_error(name + ": " + problem.what());
        }
    }
};

std::function<void(std::string const&)> into_number(int least, int most, int& target) {
    return [&target, least, most](std::string const& raw) {
        int value = 0;
        auto const [end, problem] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
        if (problem != std::errc{} || end != raw.data() + raw.size() || value < least || value > most)
            throw usage_error("'" + printable(raw) + "' is not a whole number from " + std::to_string(least) + " to "
                              + std::to_string(most));
        target = value;
    };
}

} // namespace

struct command_line::parts {
    std::string usage{};
    std::string head{};
    std::string surplus{};
    std::string examples{};
    std::string foot{};
    std::vector<declaration> known{};

    /// The parser would take the next word for the value that is missing behind an equals sign, and would take a value for a
    /// flag that has none.
    void check_inline_values(arguments const& words) const {
        for (auto const& word : words) {
            if (word == "--") return;
            auto const equals = word.find('=');
            if (!word.starts_with('-') || equals == std::string::npos) continue;
            auto const name = word.substr(0, equals);
            if (name == "--help") throw usage_error("--help takes no value; write --help alone");
            for (auto const& one : known) {
                if (one.name != name) continue;
                if (one.what == declaration::kind::flag)
                    throw usage_error(name + " takes no value: write " + name + " alone, or leave it away");
                if (one.what == declaration::kind::value && equals + 1 == word.size())
                    throw usage_error(name + " needs a value: " + name + ' ' + one.metavar);
            }
        }
    }

    /// Words without any flag need no parser, and a lock costs less than one. False: they do, be it for its complaint.
    bool take_plain(arguments const& words) const {
        if (std::any_of(words.begin(), words.end(), [](auto const& word) { return word.starts_with('-'); }))
            return false;
        std::vector<declaration const*> places;
        std::size_t needed = 0;
        for (auto const& one : known) {
            if (one.is_word()) places.push_back(&one);
            if (one.what == declaration::kind::required_word) ++needed;
        }
        if (words.size() > places.size() || words.size() < needed) return false;
        for (std::size_t i = 0; i < words.size(); ++i) places[i]->read(words[i]);
        return true;
    }

    /// With the flags that occur: to tell CLI11 of all the others would cost more than a lock.
    void parse(arguments const& words, bool with_all) const {
        struct given {
            declaration const* what;
            CLI::Option* option;
            std::string raw{};
        };
        CLI::App app;
        app.set_help_flag("-h,--help");
        std::deque<given> values; // does not move them: CLI11 writes there
        for (auto const& one : known) {
            if (!with_all && !one.is_word() && !one.occurs_in(words)) continue;
            if (one.what == declaration::kind::flag) {
                app.add_flag(one.name, *one.target);
                continue;
            }
            auto& value = values.emplace_back(given{&one, nullptr});
            value.option = app.add_option(one.name, value.raw);
            value.option->required(one.what == declaration::kind::required_word);
        }
        app.parse(arguments(words.rbegin(), words.rend())); // in the order that CLI11 wants
        for (auto const& value : values)
            if (value.option->count() != 0) value.what->read(value.raw);
    }

    std::string help() const {
        std::string words;
        std::string flags;
        for (auto const& one : known) (one.is_word() ? words : flags) += one.help();
        return head + (words.empty() ? "" : "\nArguments:\n" + words) + "\nFlags:\n" + flags
               + help_entry("-h,--help", "Show this help and exit.")
               + (examples.empty() ? "" : "\nExamples:\n" + examples) + (foot.empty() ? "" : '\n' + foot);
    }

    /// What the parser found wrong, in our words; its own for what we do not see.
    std::string complaint(arguments const& words, char const* otherwise) const {
        known_words all;
        all.usage = usage;
        all.surplus = surplus;
        for (auto const& one : known) {
            if (one.what == declaration::kind::required_word)
                all.required.push_back(one.name);
            else if (one.what == declaration::kind::optional_word)
                all.optional.push_back(one.name);
            else
                all.flags.push_back({one.name, one.metavar});
        }
        auto const found = complaint_about(words, all);
        return found.empty() ? otherwise : found;
    }
};

command_line::command_line(std::string const& usage, std::string const& description)
    : parts_(std::make_unique<parts>()) {
    parts_->usage = "redlatch " + usage;
    parts_->head = "Usage: " + parts_->usage + "\n\n" + description + '\n';
}

command_line::~command_line() = default;

void command_line::word(std::string const& name, std::string const& text, std::string& target) {
    parts_->known.push_back(
        {declaration::kind::required_word, name, {}, text, [&target](auto const& raw) { target = raw; }});
}

void command_line::optional_word(std::string const& name, std::string const& text, std::optional<std::string>& target) {
    parts_->known.push_back(
        {declaration::kind::optional_word, name, {}, text, [&target](auto const& raw) { target = raw; }});
}

void command_line::flag(std::string const& name, std::string const& text, bool& target) {
    parts_->known.push_back({declaration::kind::flag, name, {}, text, {}, &target});
}

void command_line::text(std::string const& name, std::string const& value_name, std::string const& text,
                        std::optional<std::string>& target) {
    parts_->known.push_back(
        {declaration::kind::value, name, value_name, text, [&target](auto const& raw) { target = raw; }});
}

void command_line::time(std::string const& name, std::string const& text, std::optional<duration>& target) {
    parts_->known.push_back({declaration::kind::value, name, "DURATION", text,
                             [&target](auto const& raw) { target = parse_duration(raw); }});
}

void command_line::number_word(std::string const& name, std::string const& text, int least, int most, int& target) {
    parts_->known.push_back({declaration::kind::required_word, name, {}, text, into_number(least, most, target)});
}

void command_line::number(std::string const& name, std::string const& text, int least, int most, int& target) {
    parts_->known.push_back({declaration::kind::value, name, "N", text, into_number(least, most, target)});
}

void command_line::choice(std::string const& name, std::vector<std::string> values, std::string const& text,
                          std::string& target) {
    std::string metavar;
    for (auto const& value : values) metavar += (metavar.empty() ? "" : "|") + value;
    auto take = [&target, values = std::move(values), metavar](std::string const& raw) {
        if (std::find(values.begin(), values.end(), raw) == values.end())
            throw usage_error("'" + printable(raw) + "' is none of " + metavar);
        target = raw;
    };
    parts_->known.push_back({declaration::kind::value, name, metavar, text, std::move(take)});
}

void command_line::surplus(std::string hint) {
    parts_->surplus = std::move(hint);
}

void command_line::example(std::string const& text) {
    parts_->examples += "  " + text + '\n';
}

void command_line::footer(std::string text) {
    parts_->foot = std::move(text);
}

void command_line::parse(arguments const& words) {
    if (parts_->take_plain(words)) return;
    parts_->check_inline_values(words);
    try {
        return parts_->parse(words, false);
    } catch (CLI::ParseError const&) { // it is asked again with all flags, so that it complains about the same as ever
    }
    try {
        parts_->parse(words, true);
    } catch (CLI::CallForHelp const&) {
        throw help_requested{parts_->help()};
    } catch (CLI::ParseError const& problem) {
        throw usage_error(parts_->complaint(words, problem.what()));
    }
}

} // namespace redlatch::cli
