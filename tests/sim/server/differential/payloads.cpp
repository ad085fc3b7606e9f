#include "sim/server/differential/payloads.hpp"

#include "sim/server/dump_payload.hpp"

namespace redlatch::sim {
namespace {

std::string bytes(chance& chance, std::initializer_list<std::string> choices) {
    return *(choices.begin() + chance.below(choices.size()));
}

// A text with its length in front, in each of the ways in which a length may be written.
std::string a_text(chance& chance, std::string const& text) {
    auto const size = static_cast<char>(text.size());
    switch (chance.below(8)) {
    case 0: return std::string("\x40", 1) + size + text;
    case 1: return std::string("\x80\0\0\0", 4) + size + text;
    case 2: return std::string("\x81\0\0\0\0\0\0\0", 8) + size + text;
    default: return size + text;
    }
}

std::string a_small_number(chance& chance) {
    using namespace std::string_literals;
    return bytes(chance,
                 {"\x01"s + "1", "\x01"s + "2", "\xc0\x01"s, "\xc0\x80"s, "\xc1\xff\x7f"s, "\xc2\0\0\0\x80"s, "\0"s});
}

// Counts and kinds that are not those of what follows.
std::string an_odd_hash(chance& chance, std::string const& owner) {
    std::string value("\x04", 1);
    value += bytes(chance, {std::string(1, '\0'), "\x01", "\x02", "\x02", "\x03", "\x40\x01", "\xc1", "\x82"});
    for (auto left = chance.below(4); left > 0; --left) {
        value += a_text(chance, owner + std::to_string(chance.below(2)));
        value += a_small_number(chance);
    }
    return value;
}

// Not the two in front: another type may be one that is not simulated, another count makes the real server take gigabytes.
void change_a_byte(chance& chance, std::string& value) {
    auto const at = 2 + chance.below(value.size() - 2);
    value[at] = static_cast<char>(chance.below(256));
}

} // namespace

std::string a_payload(chance& chance, std::string const& owner) {
    auto value = "\x04\x01" + std::string(1, static_cast<char>(owner.size())) + owner + "\x01" + "1";
    switch (chance.below(20)) {
    case 0: return {};
    case 1: return with_footer(value, 9 + static_cast<int>(chance.below(3)));
    case 2: return with_footer({}, chance.one_in(2) ? 0 : 4); // the version is read as the value
    case 3: value.resize(chance.below(value.size())); return value;
    case 4: value.resize(2 + chance.below(value.size() - 2)); return with_footer(value);
    case 5: return with_footer(value + "junk");
    case 6: return with_footer(value) + "junk";
    case 7: change_a_byte(chance, value); return with_footer(value);
    case 8:
        value = with_footer(value);
        change_a_byte(chance, value);
        return value;
    case 9:
    case 10: return with_footer(an_odd_hash(chance, owner));
    case 11: return with_footer(std::string(1, '\0') + a_text(chance, owner));
    case 12: return with_footer(std::string(1, '\0') + a_small_number(chance));
    default: return with_footer(value);
    }
}

} // namespace redlatch::sim
