#include "connection/cluster_view.hpp"

#include "base/hash_slot.hpp"
#include "base/whole_number.hpp"
#include "connection/words.hpp"

#include <array>

namespace redlatch::connection {

namespace {

/// `ip:port@bus[,hostname[,field=value...]]`
std::optional<node_address> read_place(std::string_view text, std::string const& asked, bool hostnames) {
    auto address = take_word(text, ',');
    auto const hostname = take_word(text, ',');
    auto where = read_node_address(address.substr(0, address.find('@')));
    if (!where || where->port == 0) return std::nullopt;
    bool const named = !hostname.empty() && hostname.find('=') == std::string_view::npos && is_host(hostname);
    if (named && (hostnames || where->host.empty())) where->host = hostname;
    if (where->host.empty()) where->host = asked;
    return where;
}

/// `first-last` or `slot`. Slots on their way to or from another node stand in brackets, and belong to whoever has them here.
/// `slots_left`: those that no range has named; whoever names more than there are says some twice.
std::optional<std::vector<cluster_view::slot_range>> read_ranges(std::string_view words, int& slots_left) {
    std::vector<cluster_view::slot_range> ranges;
    while (!words.empty()) {
        auto range = take_word(words, ' ');
        if (range.empty() || range.front() == '[') continue;
        bool const single = range.find('-') == std::string_view::npos;
        auto const first = base::whole_number<std::uint16_t>(take_word(range, '-'));
        auto const last = single ? first : base::whole_number<std::uint16_t>(range);
        if (!first || !last || *first > *last || *last >= base::hash_slots) return std::nullopt;
        slots_left -= *last - *first + 1;
        if (slots_left < 0) return std::nullopt;
        ranges.push_back({*first, *last});
    }
    return ranges;
}

} // namespace

std::optional<node_address> read_node_address(std::string_view text) {
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto const port = base::whole_number<std::uint16_t>(text.substr(colon + 1));
    auto host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (!port || !is_host(host)) return std::nullopt;
    return node_address{std::string(host), *port};
}

std::optional<cluster_view> read_cluster_view(std::string_view text, std::string const& asked, bool hostnames) {
    cluster_view view;
    int slots_left = base::hash_slots;
    while (!text.empty()) {
        auto line = take_word(text, '\n');
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        // id, place, flags, id of its master, last ping sent, last pong heard, epoch, state of the link, slots
        constexpr std::size_t fields = 8;
        std::array<std::string_view, fields> field;
        for (auto& one : field) one = take_word(line, ' ');
        if (field.back().empty()) return std::nullopt;
        if (has_flag(field[2], "noaddr")) continue;
        if (has_flag(field[2], "slave"))
            if (auto replica = read_place(field[1], asked, hostnames)) view.replicas.push_back(*std::move(replica));
        if (!has_flag(field[2], "master")) continue;
        auto ranges = read_ranges(line, slots_left);
        auto const epoch = base::whole_number<std::uint64_t>(field[6]);
        auto where = read_place(field[1], asked, hostnames);
        if (!ranges || !epoch || !where) return std::nullopt;
        if (!ranges->empty()) view.masters.push_back({*std::move(where), *epoch, *std::move(ranges)});
    }
    return view;
}

} // namespace redlatch::connection
