// A descriptor that closes itself, once, and that the child of a fork can close.
#pragma once

#include "io/open_descriptors.hpp"

#include <unistd.h>
#include <utility>

namespace redlatch::io {

class unique_fd {
public:
    unique_fd() noexcept = default;
    explicit unique_fd(int fd) noexcept : fd_(fd) {
        if (fd_ >= 0) note_opened(fd_);
    }
    unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    unique_fd& operator=(unique_fd&& other) noexcept {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~unique_fd() { close(); }

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    void reset(int fd = -1) noexcept { *this = unique_fd(fd); }

private:
    void close() const noexcept {
        if (fd_ >= 0 && note_closed(fd_)) ::close(fd_);
    }

    int fd_ = -1;
};

} // namespace redlatch::io
