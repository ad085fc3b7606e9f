#include "api/group_view.hpp"

#include "locking/recipes/faster_multi.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>

namespace redlatch::detail {
namespace {

using locking::faster_multi::parse;

std::int64_t number_in(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// By value, owner and what it is; some may be missing: a look at a large hash brings a part of it.
std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::int64_t>
numbers_in(std::span<resp::value const> fields) {
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::int64_t> numbers;
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
        if (auto const field = parse(fields[i].text); !field.owner_id.empty())
            numbers[{field.value, field.owner_id, field.what}] = number_in(fields[i + 1].text);
    return numbers;
}

} // namespace

bool is_group(std::span<resp::value const> fields) {
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
        if (!parse(fields[i].text).owner_id.empty()) return true;
    return false;
}

std::vector<group_holder> holders_in(std::span<resp::value const> fields, std::optional<std::int64_t> now,
                                     std::span<std::string const> parts) {
    auto const numbers = numbers_in(fields);
    std::map<std::string_view, group_holder> holders;
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        auto const field = parse(fields[i].text);
        if (field.value.empty() || !field.owner_id.empty()) continue;
        if (!parts.empty() && !std::binary_search(parts.begin(), parts.end(), field.value)) continue;
        std::string_view const owner = fields[i + 1].text;
        auto const ends = numbers.find({field.value, owner, locking::faster_multi::ends_suffix});
        bool const known = ends != numbers.end();
        if (known && now && ends->second <= *now) continue;
        auto& holder = holders[owner];
        if (known) holder.ends = std::max(holder.ends.value_or(0), ends->second);
        auto const count = numbers.find({field.value, owner, locking::faster_multi::count_suffix});
        if (count != numbers.end()) holder.count = std::max(holder.count, count->second);
    }
    std::vector<group_holder> found;
    for (auto& [owner, holder] : holders) {
        holder.owner_id = owner;
        found.push_back(std::move(holder));
    }
    return found;
}

} // namespace redlatch::detail
