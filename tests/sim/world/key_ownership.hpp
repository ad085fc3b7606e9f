// Which of several servers has the keys. They may not agree about it; here is who is right.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace redlatch::sim {

class key_ownership {
public:
    key_ownership() = default;
    key_ownership(key_ownership const&) = delete;
    key_ownership& operator=(key_ownership const&) = delete;
    virtual ~key_ownership() = default;

    /// Where this key is, or would be.
    virtual int home_of(std::string const& key) const = 0;
    /// This one has it, or it is on its way from there or to there.
    virtual bool has_keys_of(int number, std::string const& key) const = 0;
    /// Another one has taken over from it, and it does not know that.
    bool is_outdated(int number) const { return outdated_.contains(number); }
    std::set<int> const& outdated() const noexcept { return outdated_; }
    /// Grows whenever keys may have another home.
    std::uint64_t changes() const noexcept { return changes_; }

    /// Called around whatever gives keys to a server that may not have all that its predecessor had.
    std::function<void(std::function<void()> const&)> around_loss{[](auto const& change) { change(); }};

protected:
    std::set<int> outdated_{};
    std::uint64_t changes_ = 0;
};

} // namespace redlatch::sim
