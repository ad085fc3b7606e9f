#include "base/recycling.hpp"

#include <utility>

#if defined(REDLATCH_SANITIZED)

namespace redlatch::base {

void* take_memory(std::size_t bytes) {
    return ::operator new(bytes);
}

void keep_memory(void* memory, std::size_t) noexcept {
    ::operator delete(memory);
}

std::string spare_text() {
    return {};
}

void keep_text(std::string&&) noexcept {}

} // namespace redlatch::base

#else

namespace redlatch::base {
namespace {

// Sizes as those of glibc's malloc, which puts 8 bytes before each block and rounds up to 16: what is held stays for long.
constexpr std::size_t step = 16;
constexpr std::size_t before_block = 8;
constexpr std::size_t sizes = 128;                 ///< up to 2,040 bytes
constexpr std::size_t most_of_a_size = 256 * 1024; ///< bytes: a reactor may have hundreds of operations under way
constexpr std::size_t most_texts = 256;
constexpr std::size_t room_in_text = 512;
constexpr std::size_t longest_text = 2'048;

/// Not destroyed with the thread's other objects, some of which still give memory back after it: `ended` says so.
struct stock {
    struct block {
        block* next;
    };
    struct pile {
        block* first;
        std::size_t bytes;
    };
    std::array<pile, sizes> piles;
    bool begun;
    bool ended;
};

thread_local constinit stock mine{};

struct text_pile {
    std::array<std::string, most_texts> texts{};
    std::size_t count = 0;
};

struct at_end {
    text_pile spare{};

    at_end() noexcept { mine.begun = true; }
    at_end(at_end const&) = delete;
    at_end& operator=(at_end const&) = delete;
    ~at_end() {
        mine.ended = true;
        for (auto& one : mine.piles)
            while (one.first != nullptr) ::operator delete(std::exchange(one.first, one.first->next));
    }
};

thread_local at_end texts;

constexpr std::size_t size_index(std::size_t bytes) noexcept {
    return (bytes + before_block - 1) / step;
}

stock::pile* pile_for(std::size_t bytes) noexcept {
    auto const index = size_index(bytes);
    return bytes > 0 && index < sizes && !mine.ended ? &mine.piles[index] : nullptr;
}

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return size_index(bytes) * step + before_block;
}

} // namespace

void* take_memory(std::size_t bytes) {
    auto* const pile = pile_for(bytes);
    if (pile == nullptr) return ::operator new(bytes);
    auto const whole = rounded(bytes);
    if (pile->first == nullptr) return ::operator new(whole);
    pile->bytes -= whole;
    return std::exchange(pile->first, pile->first->next);
}

void keep_memory(void* memory, std::size_t bytes) noexcept {
    auto* const pile = pile_for(bytes);
    if (pile == nullptr || pile->bytes >= most_of_a_size) return ::operator delete(memory);
    if (!mine.begun) static_cast<void>(texts.spare.count); // makes it, so that it is there at the end
    pile->first = new (memory) stock::block{pile->first};
    pile->bytes += rounded(bytes);
}

std::string spare_text() {
    std::string out;
    if (!mine.ended && texts.spare.count > 0) out = std::move(texts.spare.texts[--texts.spare.count]);
    out.reserve(room_in_text);
    return out;
}

void keep_text(std::string&& used) noexcept {
    if (mine.ended || used.capacity() < room_in_text || used.capacity() > longest_text) return;
    auto& pile = texts.spare;
    if (pile.count == most_texts) return;
    used.clear();
    pile.texts[pile.count++] = std::move(used);
}

} // namespace redlatch::base

#endif
