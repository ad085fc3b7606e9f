#include "connection/redirect.hpp"

#include "base/hash_slot.hpp"

#include <charconv>
#include <string_view>

namespace redlatch::connection {

namespace {

constexpr std::string_view nowhere = ":0";

} // namespace

std::optional<redirect> read_redirect(resp::value const& reply) {
    bool const moved = reply.is_error_named("MOVED");
    if (!moved && !reply.is_error_named("ASK")) return std::nullopt;
    auto words = std::string_view(reply.text);
    words.remove_prefix(words.find(' ') + 1);
    redirect result{.what = moved ? redirect::kind::moved : redirect::kind::ask};
    auto const [end, problem] = std::from_chars(words.data(), words.data() + words.size(), result.slot);
    if (problem != std::errc{} || result.slot >= base::hash_slots) return std::nullopt;
    words.remove_prefix(static_cast<std::size_t>(end - words.data()));
    if (!words.starts_with(' ')) return std::nullopt;
    auto where = read_node_address(words.substr(1));
    if (!where) return std::nullopt;
    result.where = *std::move(where);
    return result;
}

resp::value moved_away(std::uint16_t slot) {
    resp::value said;
    said.type = resp::value::kind::error;
    said.text = "MOVED " + std::to_string(slot) + " " + std::string(nowhere);
    return said;
}

} // namespace redlatch::connection
