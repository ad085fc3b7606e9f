#include "locking/recipes/election.hpp"

#include "locking/names.hpp"
#include "locking/recipes/counter_kinds.hpp"
#include "locking/recipes/fenced.hpp"
#include "locking/recipes/recipes.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace redlatch::locking {
namespace election {
namespace {

constexpr std::int64_t no_key = -2;

wire_call ask_for_change(counter_request const& request) {
    auto const counter = token_counter(request.name);
    return script_call(scripts::election_leader, {request.name, counter}, {request.known});
}

acquire_answer read_change(resp::value const& reply) {
    auto const now = read(reply);
    if (!now) return {};
    if (now->changed) return {.what = acquire_answer::kind::acquired};
    return {.what = acquire_answer::kind::busy,
            .retry_after = now->owner_id.empty() ? vacancy_pause : now->remaining_lease};
}

constexpr recipe make() noexcept {
    auto made = fenced::make_recipe("election");
    made.reentrant = false; // whoever leads has nothing to campaign for
    return made;
}

} // namespace

bool is_candidate(std::string_view text) noexcept {
    auto const is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; };
    return !text.empty() && text.size() <= longest_candidate && std::none_of(text.begin(), text.end(), is_control);
}

std::string owner_suffix(std::string_view candidate) {
    return candidate.empty() ? std::string() : std::string(1, ':').append(candidate);
}

std::string_view candidate_in(std::string_view owner_id) noexcept {
    auto const client = owner_id.find(':');
    auto const number = client == std::string_view::npos ? client : owner_id.find(':', client + 1);
    return number == std::string_view::npos ? std::string_view() : owner_id.substr(number + 1);
}

wire_call ask(std::string_view name) {
    auto const counter = token_counter(name);
    return script_call(scripts::election_leader, {name, counter}, {});
}

std::optional<leader> read(resp::value const& reply) {
    if (!reply.is_array() || reply.items.size() != 4) return std::nullopt;
    auto const& [changed, left, owner, token] =
        std::tie(reply.items[0], reply.items[1], reply.items[2], reply.items[3]);
    if (!changed.is_integer() || !left.is_integer() || !owner.is_text() || !token.is_text()) return std::nullopt;
    if (left.integer < no_key || (left.integer == no_key) != owner.text.empty()) return std::nullopt;
    leader found{.changed = changed.integer != 0, .owner_id = owner.text};
    if (left.integer >= 0) found.remaining_lease = base::countable(left.integer);
    std::uint64_t number = 0;
    auto const* const end = token.text.data() + token.text.size();
    if (auto const parsed = std::from_chars(token.text.data(), end, number);
        parsed.ec == std::errc() && parsed.ptr == end)
        found.token = number;
    return found;
}

} // namespace election

constinit recipe const election_recipe = election::make();

constinit counter_kind const election_kind{
    .kind = "leader election",
    .channel = lock_channel,
    .ask = election::ask_for_change,
    .read = election::read_change,
    .undo = nullptr,
    .give_back = nullptr,
    .in_line = false,
    .in_vain = "got no other leader",
};

} // namespace redlatch::locking
