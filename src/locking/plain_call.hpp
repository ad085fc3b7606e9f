// A call without a script: one command, or two in one write.
#pragma once

#include <string>

namespace redlatch::locking {

struct plain_call {
    std::string bytes;
    int replies = 1;
};

} // namespace redlatch::locking
