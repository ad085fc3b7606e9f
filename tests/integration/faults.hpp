// Makes the operating system refuse something once: the n-th time from now that the program asks for it. Defines functions of
// the C library and the allocator in their place, so one source file of a program may include it.
#pragma once

#include "support/replaced_allocator.hpp"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <new>
#include <ostream>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <utility>

namespace redlatch::test::faults {

enum class resource { memory, thread, eventfd, epoll, socket };

inline void PrintTo(resource which, std::ostream* out) {
    constexpr char const* names[] = {"memory", "thread", "eventfd", "epoll", "socket"};
    *out << names[static_cast<std::size_t>(which)];
}

namespace detail {

// Until the refusal; below zero: nothing is refused.
inline std::atomic<long> countdown{-1};
inline std::atomic<int> refused{-1}; ///< a resource
inline std::atomic<bool> happened{false};
// Of memory only the calling thread's is counted: what is missing on the library's own threads ends the program.
inline thread_local long memory_countdown = -1;
inline thread_local bool exempt = false;

inline bool refuses(resource which) noexcept {
    if (exempt || refused.load() != static_cast<int>(which)) return false;
    if (countdown.fetch_sub(1) != 0) return false;
    happened = true;
    return true;
}

template <class Function> Function* real(char const* name) noexcept {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

} // namespace detail

/// While it lives, the n-th use of the resource is refused; of memory: the n-th by this thread.
class refusal {
public:
    refusal(resource which, long number) noexcept {
        detail::happened = false;
        detail::countdown = number;
        detail::refused = static_cast<int>(which);
        if (which == resource::memory) detail::memory_countdown = number;
    }
    ~refusal() { end(); }
    refusal(refusal const&) = delete;
    refusal& operator=(refusal const&) = delete;

    void end() noexcept {
        detail::refused = -1;
        detail::memory_countdown = -1;
    }
    static bool has_happened() noexcept { return detail::happened; }
};

/// While it lives, nothing is refused to the calling thread: the test's own needs.
class exemption {
public:
    exemption() noexcept : memory_(std::exchange(detail::memory_countdown, -1)) { detail::exempt = true; }
    ~exemption() {
        detail::exempt = false;
        detail::memory_countdown = memory_;
    }
    exemption(exemption const&) = delete;
    exemption& operator=(exemption const&) = delete;

private:
    long memory_;
};

} // namespace redlatch::test::faults

inline void redlatch::test::before_allocation() {
    using namespace faults::detail;
    if (memory_countdown < 0 || memory_countdown-- != 0) return;
    happened = true;
    throw std::bad_alloc();
}

extern "C" {
int pthread_create(pthread_t* made, pthread_attr_t const* how, void* (*start)(void*), void* argument) {
    namespace faults = redlatch::test::faults;
    static auto* const real = faults::detail::real<decltype(pthread_create)>("pthread_create");
    return faults::detail::refuses(faults::resource::thread) ? EAGAIN : real(made, how, start, argument);
}
int eventfd(unsigned int count, int flags) {
    namespace faults = redlatch::test::faults;
    static auto* const real = faults::detail::real<decltype(eventfd)>("eventfd");
    if (!faults::detail::refuses(faults::resource::eventfd)) return real(count, flags);
    errno = EMFILE;
    return -1;
}
int epoll_ctl(int set, int operation, int descriptor, epoll_event* event) {
    namespace faults = redlatch::test::faults;
    static auto* const real = faults::detail::real<decltype(epoll_ctl)>("epoll_ctl");
    if (operation == EPOLL_CTL_DEL || !faults::detail::refuses(faults::resource::epoll))
        return real(set, operation, descriptor, event);
    errno = ENOMEM;
    return -1;
}
int socket(int domain, int type, int protocol) {
    namespace faults = redlatch::test::faults;
    static auto* const real = faults::detail::real<decltype(socket)>("socket");
    if (!faults::detail::refuses(faults::resource::socket)) return real(domain, type, protocol);
    errno = EMFILE;
    return -1;
}
}
