#include "sim/server/dump_payload.hpp"

#include "sim/server/crc64.hpp"

#include <cstdint>

namespace redlatch::sim {
namespace {

constexpr unsigned newest_version = 10; // of Redis 7.0
constexpr std::size_t version_size = 2;
constexpr std::size_t checksum_size = 8;

constexpr unsigned string_type = 0;
constexpr unsigned hash_type = 4;

std::uint64_t lowest_first(std::string_view bytes) noexcept {
    std::uint64_t number = 0;
    for (std::size_t at = bytes.size(); at-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at]);
    return number;
}

std::uint64_t highest_first(std::string_view bytes) noexcept {
    std::uint64_t number = 0;
    for (char const byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
}

std::string lowest_first(std::uint64_t number, std::size_t size) {
    std::string bytes;
    for (; size > 0; --size, number >>= 8) bytes += static_cast<char>(number & 0xff);
    return bytes;
}

// Reads on into the footer where a value claims to be longer than it is, as Redis does.
class value_reader {
public:
    explicit value_reader(std::string_view bytes) : rest_(bytes) {}

    std::optional<std::string_view> take(std::uint64_t size) {
        if (size > rest_.size()) return std::nullopt;
        auto const taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::optional<unsigned> byte() {
        auto const taken = take(1);
        if (!taken) return std::nullopt;
        return static_cast<unsigned char>(taken->front());
    }

    struct length {
        std::uint64_t number;
        bool encoded; ///< `number` says how a string is kept, and is not its length
    };

    std::optional<length> a_length() {
        auto const first = byte();
        if (!first) return std::nullopt;
        auto const low_bits = *first & 0x3f;
        switch (*first >> 6) {
        case 0: return length{low_bits, false};
        case 1: {
            auto const second = byte();
            if (!second) return std::nullopt;
            return length{low_bits << 8 | *second, false};
        }
        case 2: {
            if (low_bits > 1) return std::nullopt;
            auto const bytes = take(low_bits == 0 ? 4 : 8);
            if (!bytes) return std::nullopt;
            return length{highest_first(*bytes), false};
        }
        default: return length{low_bits, true};
        }
    }

    std::optional<std::string> a_string() {
        auto const size = a_length();
        if (!size) return std::nullopt;
        if (size->encoded) return a_number(size->number);
        auto const bytes = take(size->number);
        if (!bytes) return std::nullopt;
        return std::string(*bytes);
    }

    std::optional<hash_fields> a_hash() {
        auto const count = a_length();
        if (!count || count->number == 0) return std::nullopt;
        hash_fields result;
        for (auto left = count->number; left > 0; --left) {
            auto field = a_string();
            auto value = field ? a_string() : std::nullopt;
            if (!value) return std::nullopt;
            result.append(std::move(*field), std::move(*value));
        }
        return result;
    }

private:
    // A string that is a number, kept in one, two or four bytes.
    std::optional<std::string> a_number(std::uint64_t kind) {
        if (kind > 2) return std::nullopt;
        auto const bytes = take(std::uint64_t{1} << kind);
        if (!bytes) return std::nullopt;
        auto const number = lowest_first(*bytes);
        switch (kind) {
        case 0: return std::to_string(static_cast<std::int8_t>(number));
        case 1: return std::to_string(static_cast<std::int16_t>(number));
        default: return std::to_string(static_cast<std::int32_t>(number));
        }
    }

    std::string_view rest_;
};

} // namespace

bool has_valid_footer(std::string_view payload) noexcept {
    if (payload.size() < version_size + checksum_size) return false;
    auto const checksum = payload.substr(payload.size() - checksum_size);
    payload.remove_suffix(checksum_size);
    auto const version = lowest_first(payload.substr(payload.size() - version_size));
    return version <= newest_version && crc64(payload) == lowest_first(checksum);
}

std::optional<entry_value> value_in(std::string_view payload) {
    value_reader reader(payload);
    auto const type = reader.byte();
    if (type == string_type) return reader.a_string();
    if (type == hash_type) return reader.a_hash();
    return std::nullopt;
}

std::string with_footer(std::string value, int version) {
    value += lowest_first(static_cast<std::uint64_t>(version), version_size);
    return value + lowest_first(crc64(value), checksum_size);
}

} // namespace redlatch::sim
