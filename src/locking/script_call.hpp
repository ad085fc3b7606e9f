// A call of a script, ready for the wire in both its forms.
#pragma once

#include "base/recycling.hpp"
#include "locking/script.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::locking {

class script_call {
public:
    script_call(script const& which, std::initializer_list<std::string_view> keys,
                std::initializer_list<std::string_view> arguments);
    script_call(script const& which, std::span<std::string_view const> keys,
                std::span<std::string_view const> arguments);

    /// EVALSHA. Valid while the object lives.
    std::string const& by_sha() const noexcept { return by_sha_; }
    /// The same, given away: by_text() wants it back.
    std::string take_by_sha() noexcept { return std::move(by_sha_); }
    /// EVAL, for a server that does not know the script yet.
    std::string by_text() const { return by_text(by_sha_); }
    std::string by_text(std::string_view by_sha) const;

private:
    script const* script_;
    std::string by_sha_;
    std::size_t tail_ = 0; ///< where the number of keys begins in by_sha_
    std::size_t parts_ = 0;
};

} // namespace redlatch::locking
