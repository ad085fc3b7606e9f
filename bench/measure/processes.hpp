// Clients in processes of their own, made by fork() before they have any connection or thread.
#pragma once

#include "measure/figures.hpp"
#include "measure/party.hpp"
#include "measure/server.hpp"

#include <chrono>
#include <functional>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/types.h>
#include <vector>

namespace redlatch::bench {

/// Objects that this process and its children share.
template <class T> class shared_memory {
public:
    explicit shared_memory(std::size_t count = 1)
        : size_(count * sizeof(T)),
          place_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (place_ == MAP_FAILED) throw std::bad_alloc();
        for (std::size_t at = 0; at < count; ++at) new (get() + at) T{};
    }
    shared_memory(shared_memory const&) = delete;
    shared_memory& operator=(shared_memory const&) = delete;
    ~shared_memory() { ::munmap(place_, size_); }

    T* get() const noexcept { return static_cast<T*>(place_); }
    T* operator->() const noexcept { return get(); }
    T& operator[](std::size_t at) const noexcept { return get()[at]; }

private:
    std::size_t size_;
    void* place_;
};

/// A child that ends after the task, or when this process does. An exception is told on stderr and ends it with status 1.
class child {
public:
    explicit child(std::function<void()> const& task);
    child(child&& other) noexcept;
    child& operator=(child&&) = delete;
    /// Kills it where nobody has waited.
    ~child();

    pid_t pid() const noexcept { return pid_; }
    /// Waits; throws std::runtime_error if the task has failed.
    void must_succeed();
    /// Throws if it has ended already.
    void must_run();

private:
    pid_t pid_;
};

/// Bytes from one process to another.
class signal_pipe {
public:
    signal_pipe();
    signal_pipe(signal_pipe const&) = delete;
    signal_pipe& operator=(signal_pipe const&) = delete;
    ~signal_pipe();

    /// Both throw std::system_error.
    void tell() const;
    void hear() const;

private:
    int ends_[2];
};

/// One process for each; each makes its party itself. As run_workers otherwise.
measurement run_processes(server const& at, std::vector<std::function<party()>> const& makers,
                          std::chrono::milliseconds period);

} // namespace redlatch::bench
