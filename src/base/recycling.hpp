// Memory that each thread keeps for its next use of the same size: a lock that is taken again asks for none.
//
// What a thread gives back goes to its own small stock, from which it takes next time; beyond that, and after the thread's
// end, it is new and delete. In builds with sanitizers there is no stock: it would hide errors.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <string>

namespace redlatch::base {

void* take_memory(std::size_t bytes);
void keep_memory(void* memory, std::size_t bytes) noexcept;
/// An empty string that has the room for a command already.
std::string spare_text();
void keep_text(std::string&& used) noexcept;

/// For std::allocate_shared and containers.
template <class Value> struct recycling {
    using value_type = Value;

    recycling() noexcept = default;
    template <class Other> explicit(false) recycling(recycling<Other> const&) noexcept {}

    // NOLINTBEGIN(bugprone-sizeof-expression): a container may well keep pointers
    Value* allocate(std::size_t count) { return static_cast<Value*>(take_memory(count * sizeof(Value))); }
    void deallocate(Value* memory, std::size_t count) noexcept { keep_memory(memory, count * sizeof(Value)); }
    // NOLINTEND(bugprone-sizeof-expression)

    friend bool operator==(recycling const&, recycling const&) noexcept { return true; }
};

} // namespace redlatch::base
