#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/text.hpp"

namespace redlatch::sim::commands {
namespace {

// False: a key of another type; that is answered.
bool find_hash(call& one, hash_fields*& result) {
    auto* const found = one.node.find_key(one.database, one[1]);
    result = found == nullptr ? nullptr : std::get_if<hash_fields>(&found->value);
    if (found == nullptr || result != nullptr) return true;
    reply::wrong_type(one.out);
    return false;
}

bool find_or_make_hash(call& one, hash_fields*& result) {
    if (!find_hash(one, result)) return false;
    if (result != nullptr) return true;
    one.node.store(one.database, one[1], {hash_fields()});
    return find_hash(one, result);
}

enum class part { field, value, both };

void show(call& one, part which) {
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    if (fields == nullptr) return reply::array(one.out, 0);
    reply::array(one.out, fields->size() * (which == part::both ? 2 : 1));
    for (auto const& [field, value] : *fields) {
        if (which != part::value) reply::bulk(one.out, field);
        if (which != part::field) reply::bulk(one.out, value);
    }
}

} // namespace

void hdel(call& one) {
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    std::int64_t removed = 0;
    if (fields != nullptr) {
        for (auto const field : one.argv.subspan(2)) removed += fields->erase(field) ? 1 : 0;
        if (removed > 0) one.node.changed();
        if (fields->empty()) one.node.remove_key(one.database, one[1]);
    }
    reply::integer(one.out, removed);
}

void hexists(call& one) {
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    reply::integer(one.out, fields != nullptr && fields->find(one[2]) != nullptr ? 1 : 0);
}

void hget(call& one) {
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    auto const* const value = fields == nullptr ? nullptr : fields->find(one[2]);
    if (value == nullptr) return reply::nil(one.out);
    reply::bulk(one.out, *value);
}

void hgetall(call& one) {
    show(one, part::both);
}

void hincrby(call& one) {
    auto const amount = integer_in(one[3]);
    if (!amount) return reply::not_an_integer(one.out);
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    auto const* const text = fields == nullptr ? nullptr : fields->find(one[2]);
    auto const current = text == nullptr ? 0 : integer_in(*text);
    if (!current) return reply::error(one.out, "ERR hash value is not an integer");
    std::int64_t sum = 0;
    if (__builtin_add_overflow(*current, *amount, &sum))
        return reply::error(one.out, "ERR increment or decrement would overflow");
    if (!find_or_make_hash(one, fields)) return;
    fields->set(one[2], std::to_string(sum));
    one.node.changed();
    reply::integer(one.out, sum);
}

void hkeys(call& one) {
    show(one, part::field);
}

/// All fields at once, as of a small hash. Of the options COUNT only.
void hscan(call& one) {
    if (!integer_in(one[2])) return reply::error(one.out, "ERR invalid cursor");
    bool const counted = one.argv.size() == 5 && same_word(one[3], "count");
    if (one.argv.size() != 3 && !counted) return reply::error(one.out, "ERR syntax error");
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    reply::array(one.out, 2);
    reply::bulk(one.out, "0");
    show(one, part::both);
}

void hlen(call& one) {
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    reply::integer(one.out, fields == nullptr ? 0 : static_cast<std::int64_t>(fields->size()));
}

void hset(call& one) {
    if (one.argv.size() % 2 == 1) return reply::error(one.out, "ERR wrong number of arguments for 'hset' command");
    hash_fields* fields = nullptr;
    if (!find_or_make_hash(one, fields)) return;
    std::int64_t added = 0;
    for (std::size_t at = 2; at < one.argv.size(); at += 2) added += fields->set(one[at], one[at + 1]) ? 1 : 0;
    one.node.changed();
    reply::integer(one.out, added);
}

void hsetnx(call& one) {
    hash_fields* fields = nullptr;
    if (!find_hash(one, fields)) return;
    if (fields != nullptr && fields->find(one[2]) != nullptr) return reply::integer(one.out, 0);
    if (!find_or_make_hash(one, fields)) return;
    fields->set(one[2], one[3]);
    one.node.changed();
    reply::integer(one.out, 1);
}

void hvals(call& one) {
    show(one, part::value);
}

} // namespace redlatch::sim::commands
