// Random choices that a seed repeats exactly, with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>

namespace redlatch::sim {

class chance {
public:
    explicit chance(std::uint64_t seed) : engine_(seed) {}

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
    bool one_in(std::size_t odds) { return below(odds) == 0; }
    std::string of(std::initializer_list<char const*> choices) { return *(choices.begin() + below(choices.size())); }
    template <class List> auto const& any(List const& list) { return list[below(list.size())]; }

private:
    std::mt19937_64 engine_;
};

} // namespace redlatch::sim
