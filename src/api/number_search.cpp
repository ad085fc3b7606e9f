#include "api/number_search.hpp"

#include "api/key_search.hpp"
#include "api/name_prefix.hpp"
#include "base/whole_number.hpp"
#include "connection/server_error.hpp"
#include "io/query_op.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

std::vector<counter_info> numbers_among(std::shared_ptr<io::client_core> const& core, io::node& server,
                                        std::span<std::string const> keys, char const* subject) {
    std::vector<counter_info> found;
    while (!keys.empty()) {
        std::vector<std::string_view> names;
        std::vector<std::string> commands;
        std::size_t bytes = 0;
        for (; !keys.empty() && names.size() < most_read_together && bytes < most_name_bytes; keys = keys.subspan(1)) {
            if (!may_be_counter(keys.front())) continue;
            names.emplace_back(keys.front());
            commands.push_back(ask_for_beginning(names.back()));
            bytes += names.back().size();
        }
        if (names.empty()) break;
        auto const answers = ask_together(core, server, std::move(commands), subject);
        for (std::size_t i = 0; i < names.size(); ++i)
            if (auto one = to_counter_info(server, names[i], answers[i])) found.push_back(std::move(*one));
    }
    return found;
}

} // namespace

void visit_numbers(std::shared_ptr<io::client_core> const& core, char const* subject, std::string_view pattern,
                   number_visitor const& each) {
    key_search search(core, pattern_with_prefix(core->settings().name_prefix, pattern), "string", subject);
    for (auto* const server : core->masters())
        search.visit(*server, [&](std::vector<std::string> const& keys) {
            auto numbers = numbers_among(core, *server, keys, subject);
            if (!numbers.empty()) each(*server, std::move(numbers));
        });
}

} // namespace redlatch::detail
