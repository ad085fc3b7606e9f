#include "api/permit_view.hpp"

#include "api/permit_ids.hpp"
#include "connection/server_error.hpp"
#include "io/query_op.hpp"
#include "locking/counter.hpp"
#include "locking/names.hpp"
#include "locking/recipes/counter_kinds.hpp"
#include "locking/recipes/permits.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace redlatch::detail {
namespace {

constexpr std::string_view last_shown = "999"; // whatever the key holds, the answer is bounded
constexpr double for_ever = 922337203685477.0;

template <class Number> std::optional<Number> number_in(resp::value const& reply) {
    Number number{};
    auto const* const end = reply.text.data() + reply.text.size();
    auto const [stop, problem] = std::from_chars(reply.text.data(), end, number);
    if (!reply.is_text() || problem != std::errc{} || stop != end) return std::nullopt;
    return number;
}

/// `key`: that of the semaphore, or of the leases beside it, where another type of value is.
error not_about_permits(io::client_core& core, std::string const& name, std::string const& key,
                        std::string const& about) {
    return error(errc::wrong_type,
                 about + " cannot be done: the key " + locking::shown(key) + " on the server "
                     + core.node_of(key).address() + " is not a " + std::string(locking::permit_kind.kind)
                     + (key == name ? "" : "'s list of leases") + " (another type of value has this name)");
}

/// Throws unless it is an answer to the question about this key.
void must_be_answer_about_permits(io::client_core& core, std::string const& name, std::string const& key,
                                  std::string const& about, resp::value const& reply) {
    if (!reply.is_error()) return;
    auto const reason = connection::to_errc(connection::judge(reply));
    if (reason == errc::wrong_type) throw not_about_permits(core, name, key, about);
    throw error(reason, io::query_message(core.node_of(key), about, reason, reply, locking::permit_kind.kind));
}

/// In milliseconds since the epoch.
std::optional<double> server_time_in_ms(resp::value const& reply) {
    if (!reply.is_array() || reply.items.size() != 2) return std::nullopt;
    auto const seconds = number_in<double>(reply.items[0]);
    auto const microseconds = number_in<double>(reply.items[1]);
    if (!seconds || !microseconds) return std::nullopt;
    return *seconds * 1'000 + *microseconds / 1'000;
}

/// None: its lease is over.
std::optional<taken_permit> to_permit(resp::value const& id, double ends, double now) {
    if (ends <= now) return std::nullopt;
    taken_permit permit{.id = shown_ids(id.text).front()};
    if (ends < for_ever) permit.remaining_lease = duration(static_cast<std::int64_t>(ends - now) + 1);
    return permit;
}

} // namespace

std::int64_t sum_or_most(std::int64_t one, std::int64_t other) noexcept {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return one > 0 && other > most - one ? most : one + other;
}

std::vector<std::string> ask_for_permits(std::string const& name) {
    auto const timeouts = locking::permits::timeouts_of(name);
    return {resp::command("GET", name), resp::command("ZCOUNT", timeouts, "-inf", "+inf"),
            resp::command("ZRANGE", timeouts, "0", last_shown, "WITHSCORES"), resp::command("TIME")};
}

permit_info to_permit_info(io::client_core& core, std::string const& name, std::string const& about,
                           std::span<resp::value const> answers) {
    auto const timeouts = locking::permits::timeouts_of(name);
    for (auto const& one : answers)
        must_be_answer_about_permits(core, name, &one == &answers.front() ? name : timeouts, about, one);
    auto const unexpected = [&] { return error(errc::bad_reply, "the server sent an unexpected reply to " + about); };
    auto const& listed = answers[2];
    auto const now = server_time_in_ms(answers[3]);
    if (!answers[1].is_integer() || !listed.is_array() || listed.items.size() % 2 != 0 || !now) throw unexpected();
    permit_info info{.name = name, .is_set = !answers[0].is_nil(), .taken = answers[1].integer};
    if (info.is_set) {
        auto const number = number_in<std::int64_t>(answers[0]);
        if (!number) throw not_about_permits(core, name, name, about);
        info.available = *number;
    }
    for (std::size_t i = 0; i < listed.items.size(); i += 2) {
        auto const ends = number_in<double>(listed.items[i + 1]);
        if (!ends || listed.items[i].text.size() != locking::taken_id_size) throw unexpected();
        if (auto permit = to_permit(listed.items[i], *ends, *now)) {
            info.leases.push_back(std::move(*permit));
        } else { // it comes back with the next request of anybody
            --info.taken;
            if (info.is_set) info.available = sum_or_most(info.available, 1);
        }
    }
    if (info.is_set) info.permits = sum_or_most(info.available, info.taken);
    return info;
}

} // namespace redlatch::detail
