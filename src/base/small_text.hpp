// A short text that needs no memory of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::base {

/// Up to `Room` bytes are kept in place; a longer text is in memory of its own.
template <std::size_t Room> class small_text {
public:
    small_text() noexcept = default;
    small_text& operator=(std::string_view text) {
        assign({text});
        return *this;
    }
    small_text(small_text const&) = delete;
    small_text(small_text&&) noexcept = default;
    small_text& operator=(small_text const& other) {
        if (this != &other) assign({other.view()});
        return *this;
    }
    ~small_text() = default;

    /// The pieces, one behind the other. None of them may be of this text.
    void assign(std::initializer_list<std::string_view> pieces) {
        std::size_t size = 0;
        for (auto const piece : pieces) size += piece.size();
        auto longer = size > Room ? std::make_unique<std::string>() : nullptr;
        if (longer) longer->reserve(size);
        length_ = 0;
        for (auto const piece : pieces)
            if (longer)
                longer->append(piece);
            else
                append_in_place(piece);
        elsewhere_ = std::move(longer);
    }

    std::string_view view() const noexcept {
        return elsewhere_ ? std::string_view(*elsewhere_) : std::string_view(place_.data(), length_);
    }
    std::string str() const { return std::string(view()); }
    explicit(false) operator std::string_view() const noexcept { return view(); }
    friend bool operator==(small_text const& one, std::string_view other) noexcept { return one.view() == other; }

private:
    void append_in_place(std::string_view piece) noexcept {
        if (piece.empty()) return;
        std::copy(piece.begin(), piece.end(), place_.begin() + length_);
        length_ = static_cast<std::uint8_t>(length_ + piece.size());
    }

    static_assert(Room <= UINT8_MAX);
    std::array<char, Room> place_;
    std::uint8_t length_ = 0;
    std::unique_ptr<std::string> elsewhere_{};
};

} // namespace redlatch::base
