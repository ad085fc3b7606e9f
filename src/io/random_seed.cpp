#include "io/random_seed.hpp"

#include <array>
#include <cerrno>
#include <sys/random.h>
#include <system_error>

namespace redlatch::io {
namespace {

void fill(void* bytes, std::size_t size) {
    auto* at = static_cast<unsigned char*>(bytes);
    while (size > 0) {
        auto const count = ::getrandom(at, size, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw std::system_error(errno, std::generic_category(), "getrandom");
        at += count;
        size -= static_cast<std::size_t>(count);
    }
}

} // namespace

std::uint64_t random_seed() {
    std::uint64_t seed = 0;
    fill(&seed, sizeof seed);
    return seed;
}

std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    fill(bytes.data(), size);
    return bytes;
}

std::string random_uuid() {
    std::array<unsigned char, 16> bytes{};
    fill(bytes.data(), bytes.size());
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | 0x40U); // version 4
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U); // variant 1
    constexpr auto* digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
        text.push_back(digits[bytes[i] >> 4U]);
        text.push_back(digits[bytes[i] & 15U]);
    }
    return text;
}

} // namespace redlatch::io
