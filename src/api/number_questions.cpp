#include "api/number_questions.hpp"

#include "base/whole_number.hpp"
#include "connection/server_error.hpp"
#include "io/query_op.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace redlatch::detail {
namespace {

constexpr std::size_t most_read_together = 500;
constexpr std::size_t most_name_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_number = 20; // "-9223372036854775808"

/// Whatever the key holds, the answer is bounded: one byte more than a number has tells a longer text from it.
std::string ask_for_beginning(std::string_view name) {
    return resp::command("GETRANGE", name, "0", std::to_string(longest_number));
}

bool may_be_counter(std::string_view key) noexcept {
    return !key.empty() && key.size() <= locking::longest_name && !locking::is_number_beside(key);
}

/// None: no number, or none any more.
std::optional<counter_info> to_counter_info(io::node& server, std::string_view name, resp::value const& answer) {
    if (answer.is_error()) {
        auto const reason = connection::to_errc(connection::judge(answer));
        if (reason == errc::wrong_type) return std::nullopt; // another value has the name since
        auto const about = "looking at the number " + locking::shown(name);
        return counter_info{.name = std::string(name),
                            .problem =
                                io::query_message(server, about, reason, answer, "number", ask_for_beginning(name))};
    }
    if (!answer.is_text() || answer.text.size() > longest_number) return std::nullopt;
    auto const number = base::whole_number<std::int64_t>(answer.text);
    if (!number) return std::nullopt;
    return counter_info{.name = std::string(name), .number = *number};
}

} // namespace

std::vector<std::string> number_questions::ask() {
    std::vector<std::string> commands;
    std::size_t bytes = 0;
    asked_.clear();
    while (!unseen_.empty() && asked_.size() < most_read_together && bytes < most_name_bytes) {
        auto name = std::move(unseen_.back());
        unseen_.pop_back();
        if (!may_be_counter(name)) continue;
        commands.push_back(ask_for_beginning(name));
        bytes += name.size();
        asked_.push_back(std::move(name));
    }
    return commands;
}

void number_questions::on_answers(io::node& server, std::vector<resp::value> const& answers) {
    for (std::size_t i = 0; i < asked_.size(); ++i)
        if (auto one = to_counter_info(server, asked_[i], answers[i])) found_.push_back(std::move(*one));
}

} // namespace redlatch::detail
