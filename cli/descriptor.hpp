// A file descriptor that is closed with its object, and the three kinds that the tool's main loop waits for.
#pragma once

#include <redlatch/lease_clock.hpp>

#include <unistd.h>
#include <utility>

namespace redlatch::cli {

class descriptor {
public:
    descriptor() noexcept = default;
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { close(); }

    int get() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    void close() noexcept {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }

private:
    int number_ = -1;
};

/// Both ends close on exec; throws std::system_error.
struct pipe_ends {
    descriptor reader{};
    descriptor writer{};
    static pipe_ends make(int flags = 0);
};

/// An eventfd: raised by any thread, seen by poll. Throws std::system_error.
class wake_descriptor {
public:
    wake_descriptor();
    int get() const noexcept { return descriptor_.get(); }
    void raise() const noexcept;
    void clear() const noexcept;

private:
    descriptor descriptor_;
};

/// A timer on the clock of leases: it also fires when the machine has slept past its time. Throws std::system_error.
class timer_descriptor {
public:
    timer_descriptor();
    int get() const noexcept { return descriptor_.get(); }
    void fire_at(lease_clock::time_point due_time) const noexcept;
    void clear() const noexcept;

private:
    descriptor descriptor_;
};

} // namespace redlatch::cli
