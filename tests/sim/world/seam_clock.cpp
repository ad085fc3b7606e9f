// Linked instead of src/io/lease_clock.cpp and src/io/random_seed.cpp.
#include "io/random_seed.hpp"
#include "sim/world/world.hpp"

#include <redlatch/lease_clock.hpp>

#include <cstdio>

namespace redlatch {

lease_clock::time_point lease_clock::now() noexcept {
    if (!sim::world::exists()) return {};
    auto const& in = sim::world::the();
    return in.current() == nullptr ? time_point(in.now()) : in.current()->clock(in.now());
}

namespace io {

std::uint64_t random_seed() {
    return sim::world::the().chance().next();
}

std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(sim::world::the().chance().next());
    return bytes;
}

std::string random_uuid() {
    auto& chance = sim::world::the().chance();
    char text[37];
    auto const high = chance.next();
    auto const low = chance.next();
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%012llx", static_cast<unsigned>(high >> 32U),
                  static_cast<unsigned>(high >> 16U & 0xffffU), static_cast<unsigned>(high & 0xfffU),
                  static_cast<unsigned>(low >> 52U), static_cast<unsigned long long>(low & 0xffffffffffffU));
    return text;
}

} // namespace io
} // namespace redlatch
