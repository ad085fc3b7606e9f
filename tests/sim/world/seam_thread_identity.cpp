// Each fiber is a thread of its own: linked instead of src/io/thread_identity.cpp.
#include "io/thread_identity.hpp"
#include "sim/world/fiber.hpp"

#include <redlatch/owner.hpp>

#include <algorithm>

namespace redlatch {
namespace {

std::uint64_t next_number() noexcept {
    static std::uint64_t last = 0;
    return ++last;
}

/// What runs on no fiber is one of the library's own threads, or nature.
std::uint64_t& number_of_running() noexcept {
    static std::uint64_t elsewhere = 0;
    auto* const who = sim::fiber::current();
    return who == nullptr ? elsewhere : who->thread_number;
}

} // namespace

namespace io {

std::uint64_t this_thread_number() noexcept {
    auto& number = number_of_running();
    if (number == 0) number = next_number();
    return number;
}

bool subscribe_thread_exit(std::weak_ptr<thread_exit_listener> const& listener) {
    auto* const who = sim::fiber::current();
    if (who == nullptr) return false;
    auto& all = who->exit_listeners;
    bool const is_known = std::any_of(all.begin(), all.end(), [&](auto const& other) {
        return !other.owner_before(listener) && !listener.owner_before(other);
    });
    if (is_known) return false;
    all.push_back(listener);
    return true;
}

} // namespace io

owner::owner() noexcept : number_(next_number()) {}

owner owner::this_thread() noexcept {
    return owner(io::this_thread_number());
}

} // namespace redlatch
