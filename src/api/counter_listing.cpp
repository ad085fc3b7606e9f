#include "api/counter_listing.hpp"

#include "api/name_prefix.hpp"
#include "locking/recipes/permits.hpp"
#include "resp/command.hpp"

#include <utility>

namespace redlatch::detail {

counter_listing::counter_listing(std::shared_ptr<io::client_core> const& core, std::string_view pattern,
                                 listed<counter_info>::visitor each)
    : pattern_(pattern_with_prefix(core->settings().name_prefix, pattern)),
      found_(core->settings().name_prefix, std::move(each)) {}

void counter_listing::begin(std::size_t, std::vector<std::string> keys) {
    questions_.begin(std::move(keys));
}

std::vector<std::string> counter_listing::ask() {
    auto commands = questions_.ask();
    asked_numbers_ = !commands.empty();
    if (asked_numbers_) return commands;
    numbers_ = questions_.take();
    commands.reserve(numbers_.size());
    for (auto const& one : numbers_)
        commands.push_back(resp::command("ZCOUNT", locking::permits::timeouts_of(one.name), "-inf", "+inf"));
    return commands;
}

/// Without the numbers of permit semaphores: permits of these are taken. Who may not ask for that gets them all.
void counter_listing::on_answers(io::node& server, std::vector<resp::value> const& answers) {
    if (asked_numbers_) return questions_.on_answers(server, answers);
    std::vector<counter_info> rest;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        server.note_spare("zcount", answers[i]);
        bool const has_permits = answers[i].is_integer() && answers[i].integer > 0;
        if (!has_permits) rest.push_back(std::move(numbers_[i]));
    }
    found_.add(std::move(rest));
}

} // namespace redlatch::detail
