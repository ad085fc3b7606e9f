// A thread that waits within this process for what another thread holds.
#pragma once

#include "support/wait_until.hpp"

#include <redlatch/client.hpp>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace redlatch::test {

/// A thread that waits for a lock, and can be seen to.
class waiting_thread {
public:
    template <class Act>
    waiting_thread(client& user, Act act)
        : user_(user), before_(user.stats().waiters), thread_([this, act = std::move(act)] {
              id_ = ::syscall(SYS_gettid);
              act();
          }) {}
    ~waiting_thread() { thread_.join(); }

    /// Its call is under way and it sleeps: it is in the queue of this client.
    bool is_queued() const {
        return wait_until([&] { return user_.stats().waiters > before_ && id_ != 0 && sleeps(); });
    }

private:
    bool sleeps() const {
        std::ifstream file("/proc/self/task/" + std::to_string(id_) + "/stat");
        std::string line;
        std::getline(file, line);
        auto const name_end = line.rfind(')');
        return name_end != std::string::npos && line.compare(name_end, 3, ") S") == 0;
    }
    client& user_;
    std::uint64_t before_;
    std::atomic<long> id_{0};
    std::thread thread_;
};

using thread_ptr = std::unique_ptr<waiting_thread>;

template <class Act> thread_ptr queued_thread(client& user, Act act) {
    auto made = std::make_unique<waiting_thread>(user, std::move(act));
    EXPECT_TRUE(made->is_queued());
    return made;
}

} // namespace redlatch::test
