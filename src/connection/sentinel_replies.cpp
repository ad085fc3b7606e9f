#include "connection/sentinel_replies.hpp"

#include "base/whole_number.hpp"
#include "connection/words.hpp"
#include "resp/command.hpp"

#include <algorithm>

namespace redlatch::connection {
namespace {

constexpr std::size_t most_others = 64;

std::optional<host_and_port> place(std::string_view host, std::string_view port) {
    auto const number = base::whole_number<std::uint16_t>(port);
    if (host.empty() || !is_host(host) || !number || *number == 0) return std::nullopt;
    return host_and_port{std::string(host), *number};
}

/// Of [name, value, name, value ...]; empty: there is none.
std::string_view field(resp::value const& fields, std::string_view name) {
    for (std::size_t at = 0; at + 1 < fields.items.size(); at += 2)
        if (fields.items[at].text == name) return fields.items[at + 1].text;
    return {};
}

/// Of another Sentinel or a replica: silent for as long as makes a master lost, or without a connection now.
bool is_away(resp::value const& fields) {
    auto const flags = field(fields, "flags");
    return has_flag(flags, "s_down") || has_flag(flags, "o_down") || has_flag(flags, "disconnected");
}

} // namespace

std::string sentinel_questions(std::string_view master_name) {
    std::string bytes;
    for (std::string_view const question : {"GET-MASTER-ADDR-BY-NAME", "MASTER", "SENTINELS"})
        resp::append_command(bytes, {"SENTINEL", question, master_name});
    return bytes;
}

std::string replicas_question(std::string_view master_name) {
    return resp::command("SENTINEL", "REPLICAS", master_name);
}

sentinel_answer read_sentinel_answer(std::vector<resp::value> const& replies) {
    sentinel_answer answer;
    auto const& address = replies.at(0);
    if (address.is_nil()) {
        answer.what = sentinel_answer::kind::unknown_name;
        return answer;
    }
    auto const where = address.items.size() == 2 ? place(address.items[0].text, address.items[1].text) : std::nullopt;
    if (!where) {
        answer.problem = address.is_error() && !address.text.empty() ? address.text : "its answer is no address";
        return answer;
    }
    answer.what = sentinel_answer::kind::known;
    answer.master = *where;
    answer.epoch = base::whole_number<std::uint64_t>(field(replies.at(1), "config-epoch"));
    answer.quorum = base::whole_number<std::uint16_t>(field(replies.at(1), "quorum"));
    if (auto const rest = base::whole_number<std::uint16_t>(field(replies.at(1), "num-other-sentinels")))
        answer.sentinels = *rest + 1;
    if (replies.at(1).is_error()) answer.master_refused = replies.at(1).text;
    if (replies.at(2).is_error()) answer.others_refused = replies.at(2).text;
    if (replies.at(2).is_array()) answer.reachable = 1;
    for (auto const& one : replies.at(2).items) {
        auto const other = place(field(one, "ip"), field(one, "port"));
        if (!other) continue;
        if (answer.reachable && !is_away(one)) ++*answer.reachable;
        if (answer.others.size() < most_others) answer.others.push_back(*other);
    }
    answer.asked_for_replicas = replies.size() > sentinel_replies;
    if (!answer.asked_for_replicas) return answer;
    auto const& replicas = replies.at(sentinel_replies);
    if (replicas.is_error()) answer.replicas_refused = replicas.text;
    if (replicas.is_array())
        answer.promotable =
            static_cast<int>(std::count_if(replicas.items.begin(), replicas.items.end(), [](resp::value const& one) {
                return !is_away(one) && field(one, "slave-priority") != "0";
            }));
    return answer;
}

bool is_about(std::string_view message, std::string_view master_name) noexcept {
    return message.starts_with(master_name) && message.substr(master_name.size()).starts_with(' ');
}

} // namespace redlatch::connection
