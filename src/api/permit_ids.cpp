#include "api/permit_ids.hpp"

#include "locking/names.hpp"

#include <algorithm>
#include <set>

namespace redlatch::detail {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";
constexpr std::size_t shown_size = 2 * locking::taken_id_size;

void append_raw(counter_impl const& impl, std::string const& shown, std::string& out) {
    auto const value = [](char digit) {
        auto const at = hexadecimal.find(digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit);
        return at == std::string_view::npos ? 16U : static_cast<unsigned>(at);
    };
    bool const fits = shown.size() == shown_size
                      && std::all_of(shown.begin(), shown.end(), [&](char digit) { return value(digit) < 16U; });
    if (!fits)
        complain(impl, "a permit id has " + std::to_string(shown_size) + " hexadecimal characters; "
                           + locking::shown(shown) + " is none");
    for (std::size_t at = 0; at < shown_size; at += 2)
        out.push_back(static_cast<char>(value(shown[at]) << 4U | value(shown[at + 1])));
}

} // namespace

std::vector<std::string> shown_ids(std::string_view raw) {
    std::vector<std::string> out;
    for (; !raw.empty(); raw.remove_prefix(locking::taken_id_size)) {
        auto& one = out.emplace_back();
        for (char const byte : raw.substr(0, locking::taken_id_size)) {
            one.push_back(hexadecimal[static_cast<unsigned char>(byte) >> 4U]);
            one.push_back(hexadecimal[static_cast<unsigned char>(byte) & 15U]);
        }
    }
    return out;
}

std::string raw_ids(counter_impl const& impl, std::vector<std::string> const& shown) {
    auto const most = static_cast<std::size_t>(most_permits_at_once);
    if (shown.empty() || shown.size() > most)
        complain(impl, "1 to " + std::to_string(most) + " permit ids can be given at once, not "
                           + std::to_string(shown.size()));
    std::string out;
    out.reserve(shown.size() * locking::taken_id_size);
    for (auto const& one : shown) append_raw(impl, one, out);
    std::set<std::string_view> known;
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (!known.insert(std::string_view(out).substr(i * locking::taken_id_size, locking::taken_id_size)).second)
            complain(impl, "the permit id " + locking::shown(shown[i]) + " is given twice");
    return out;
}

std::string raw_id(counter_impl const& impl, std::string const& shown) {
    std::string out;
    append_raw(impl, shown, out);
    return out;
}

} // namespace redlatch::detail
