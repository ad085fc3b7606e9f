// A file descriptor that closes itself.
#pragma once

#include <unistd.h>
#include <utility>

namespace redlatch::test {

class descriptor {
public:
    descriptor() noexcept = default;
    explicit descriptor(int value) noexcept : value_(value) {}
    descriptor(descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            value_ = std::exchange(other.value_, -1);
        }
        return *this;
    }
    ~descriptor() { reset(); }

    explicit operator bool() const noexcept { return value_ >= 0; }
    int get() const noexcept { return value_; }
    void reset() noexcept {
        if (value_ >= 0) ::close(std::exchange(value_, -1));
    }

private:
    int value_ = -1;
};

} // namespace redlatch::test
