#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace redlatch::sim::commands {
namespace {

// False: a key of another type; that is answered.
bool find_list(call& one, list_items*& result) {
    auto* const found = one.node.find_key(one.database, one[1]);
    result = found == nullptr ? nullptr : std::get_if<list_items>(&found->value);
    if (found == nullptr || result != nullptr) return true;
    reply::wrong_type(one.out);
    return false;
}

std::int64_t size_of(list_items const* items) {
    return items == nullptr ? 0 : static_cast<std::int64_t>(items->size());
}

void remove_if_empty(call& one, list_items const& items) {
    one.node.changed();
    if (items.empty()) one.node.remove_key(one.database, one[1]);
}

} // namespace

void lindex(call& one) {
    list_items* items = nullptr;
    if (!find_list(one, items)) return;
    if (items == nullptr) return reply::nil(one.out);
    auto const asked = integer_in(one[2]);
    if (!asked) return reply::not_an_integer(one.out);
    auto const size = size_of(items);
    if (*asked >= size || *asked < -size) return reply::nil(one.out);
    reply::bulk(one.out, (*items)[static_cast<std::size_t>(*asked < 0 ? *asked + size : *asked)]);
}

void llen(call& one) {
    list_items* items = nullptr;
    if (find_list(one, items)) reply::integer(one.out, size_of(items));
}

void lpop(call& one) {
    list_items* items = nullptr;
    if (!find_list(one, items)) return;
    if (items == nullptr) return reply::nil(one.out);
    reply::bulk(one.out, items->front());
    items->erase(items->begin());
    remove_if_empty(one, *items);
}

// Without options.
void lpos(call& one) {
    list_items* items = nullptr;
    if (!find_list(one, items)) return;
    auto const place = items == nullptr ? 0 : std::ranges::find(*items, one[2]) - items->begin();
    if (place == size_of(items)) return reply::nil(one.out);
    reply::integer(one.out, place);
}

void lrange(call& one) {
    auto const range = range_of(one[2], one[3]);
    if (!range) return reply::not_an_integer(one.out);
    list_items* items = nullptr;
    if (!find_list(one, items)) return;
    auto const [first, end] = range->within(size_of(items));
    reply::array(one.out, end - first);
    for (auto at = first; at < end; ++at) reply::bulk(one.out, (*items)[at]);
}

void lrem(call& one) {
    auto const count = integer_in(one[2]);
    if (!count) return reply::not_an_integer(one.out);
    list_items* items = nullptr;
    if (!find_list(one, items)) return;
    if (items == nullptr) return reply::integer(one.out, 0);
    // 0: all; below 0: from behind.
    auto left = *count == 0 ? size_of(items) : *count < 0 ? -(*count + 1) + 1 : *count;
    std::int64_t removed = 0;
    auto const wanted = [&](std::string const& item) {
        if (left == 0 || item != one[3]) return false;
        --left;
        ++removed;
        return true;
    };
    if (*count < 0) std::ranges::reverse(*items);
    std::erase_if(*items, wanted);
    if (*count < 0) std::ranges::reverse(*items);
    if (removed > 0) remove_if_empty(one, *items);
    reply::integer(one.out, removed);
}

void rpush(call& one) {
    list_items* items = nullptr;
    if (!find_list(one, items)) return;
    if (items == nullptr) {
        one.node.store(one.database, one[1], {list_items()});
        if (!find_list(one, items)) return;
    }
    for (auto const item : one.argv.subspan(2)) items->emplace_back(item);
    one.node.changed();
    reply::integer(one.out, size_of(items));
}

} // namespace redlatch::sim::commands
