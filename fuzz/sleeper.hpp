// Somebody who waits, and how often he was woken.
#pragma once

#include "base/waker.hpp"

#include <memory>

namespace redlatch::fuzz {

class sleeper final : public base::wakeable {
public:
    void wake() noexcept override { ++woken; }
    int woken = 0;
};

using sleeper_ptr = std::shared_ptr<sleeper>;

} // namespace redlatch::fuzz
