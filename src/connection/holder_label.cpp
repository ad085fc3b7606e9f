#include "connection/holder_label.hpp"

#include "connection/connect_op.hpp"

#include <algorithm>

namespace redlatch::connection {
namespace {

constexpr std::string_view mark = "redlatch:";
constexpr char behind_name = '|';
constexpr std::size_t uuid_length = 36;

bool is_plain(char byte) noexcept {
    return byte >= '!' && byte <= '~';
}

/// "redlatch:UUID:LABEL" within the name of a connection, or empty.
std::string_view marked_part(std::string_view name) {
    if (name.starts_with(mark)) return name;
    auto const at = name.find(std::string(1, behind_name).append(mark));
    return at == std::string_view::npos ? std::string_view() : name.substr(at + 1);
}

} // namespace

bool is_holder_label(std::string_view text) noexcept {
    return !text.empty() && text.size() <= longest_holder_label && std::all_of(text.begin(), text.end(), is_plain);
}

std::string made_holder_label(std::string_view text) {
    std::string made(text.substr(0, longest_holder_label));
    std::replace_if(
        made.begin(), made.end(), [](char byte) { return !is_plain(byte); }, '_');
    return made;
}

std::string connection_name(std::string_view name, std::string_view client, std::string_view label) {
    std::string made(name);
    if (label.empty()) return made;
    if (!made.empty()) made += behind_name;
    return made.append(mark).append(client).append(":").append(label);
}

holder_labels labels_in(std::string_view client_list) {
    holder_labels found;
    while (!client_list.empty()) {
        auto const line = client_list.substr(0, client_list.find('\n'));
        client_list.remove_prefix(std::min(line.size() + 1, client_list.size()));
        auto part = marked_part(info_field(line, "name", '=', " "));
        if (part.size() <= mark.size() + uuid_length) continue;
        part.remove_prefix(mark.size());
        auto const client = part.substr(0, uuid_length);
        auto const label = part.substr(uuid_length + 1);
        if (part[uuid_length] == ':' && is_holder_label(label)) found.try_emplace(std::string(client), label);
    }
    return found;
}

} // namespace redlatch::connection
