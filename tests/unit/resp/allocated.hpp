// How much more memory is allocated than at some moment, malloc in C code included.
#pragma once

#include <cstddef>
#include <malloc.h>

extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak)); // NOLINT: given by sanitizers

namespace redlatch::resp::test {

class allocated {
public:
    std::ptrdiff_t more_now() const { return now() - start_; }

private:
    static std::ptrdiff_t now() {
        if (&__sanitizer_get_current_allocated_bytes != nullptr) {
            return static_cast<std::ptrdiff_t>(__sanitizer_get_current_allocated_bytes());
        }
        auto const info = ::mallinfo2();
        return static_cast<std::ptrdiff_t>(info.uordblks + info.hblkhd);
    }

    std::ptrdiff_t start_ = now();
};

} // namespace redlatch::resp::test
