#include "api/counter_listing.hpp"

#include "api/key_search.hpp"
#include "api/name_prefix.hpp"
#include "api/number_search.hpp"
#include "locking/names.hpp"
#include "locking/recipes/permits.hpp"
#include "resp/command.hpp"

#include <string>
#include <utility>

namespace redlatch::detail {
namespace {

constexpr char const* about_counters = "listing semaphores and latches";

/// Without the numbers of permit semaphores: permits of these are taken. Who may not ask for that gets them all.
std::vector<counter_info> without_permits(std::shared_ptr<io::client_core> const& core, io::node& server,
                                          std::vector<counter_info> numbers) {
    std::vector<std::string> commands;
    commands.reserve(numbers.size());
    for (auto const& one : numbers)
        commands.push_back(resp::command("ZCOUNT", locking::permits::timeouts_of(one.name), "-inf", "+inf"));
    auto const taken = ask_together(core, server, std::move(commands), about_counters);
    std::vector<counter_info> rest;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        server.note_spare("zcount", taken[i]);
        bool const has_permits = taken[i].is_integer() && taken[i].integer > 0;
        if (!has_permits) rest.push_back(std::move(numbers[i]));
    }
    return rest;
}

} // namespace

void visit_counters(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                    std::function<void(std::vector<counter_info>)> const& each) {
    visit_numbers(core, about_counters, pattern, [&](io::node& server, std::vector<counter_info> numbers) {
        auto found = without_permits(core, server, std::move(numbers));
        for (auto& one : found) one.name = without_prefix(core->settings().name_prefix, std::move(one.name));
        if (!found.empty()) each(std::move(found));
    });
}

} // namespace redlatch::detail
