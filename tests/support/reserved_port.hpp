// A TCP port for one server of a test.
#pragma once

#include "support/descriptor.hpp"

#include <cstdint>

namespace redlatch::test {

/// On 127.0.0.1: nobody listened there a moment ago, no other test gets it while this lives, and the system gives it to no
/// connection of its own: a server can be ended and started again on it.
class reserved_port {
public:
    reserved_port();

    std::uint16_t number() const noexcept { return number_; }

private:
    std::uint16_t number_ = 0;
    descriptor claim_{}; ///< an abstract socket of this name: it ends with the process
};

} // namespace redlatch::test
