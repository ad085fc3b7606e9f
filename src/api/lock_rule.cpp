#include "api/lock_rule.hpp"

#include "locking/names.hpp"

#include <algorithm>

namespace redlatch::detail {
namespace {

constexpr std::string_view shape_of_uuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool is_uuid(std::string_view text) noexcept {
    return std::ranges::equal(text, shape_of_uuid, [](char given, char wanted) {
        return wanted == '-' ? given == '-'
                             : std::string_view("0123456789abcdefABCDEF").find(given) != std::string_view::npos;
    });
}

} // namespace

bool is_owner_id(std::string_view text) noexcept {
    auto const client = text.substr(0, text.find(':'));
    if (!is_uuid(client) || client.size() == text.size()) return false;
    text.remove_prefix(client.size() + 1);
    auto number = text.substr(0, text.find(':'));
    if (number.starts_with('-')) number.remove_prefix(1); // a thread id of Java's that a program has chosen
    return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_released(std::string_view owner_id) {
    return is_owner_id(owner_id) && locking::kept_owner(owner_id) == owner_id;
}

std::string foreign_field_among(std::span<lock_owner const> owners) {
    if (owners.empty()) return "mode"; // a hash without fields is not there
    auto const odd =
        std::ranges::find_if(owners, [](lock_owner const& one) { return one.count < 1 || !is_owner_id(one.owner); });
    return odd == owners.end() ? std::string() : odd->owner.empty() ? std::string("''") : odd->owner;
}

} // namespace redlatch::detail
