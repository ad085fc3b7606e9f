// Somebody who waits and counts how often he was woken.
#pragma once

#include "base/waker.hpp"

#include <memory>

namespace redlatch::scripted {

class wake_counter final : public base::wakeable {
public:
    void wake() noexcept override { ++times; }
    int times = 0;
};

inline std::shared_ptr<wake_counter> make_sleeper() {
    return std::make_shared<wake_counter>();
}

} // namespace redlatch::scripted
