// Redisson in a Java process of its own, told what to do line by line (peer/src/main/java/redlatch/interop/Peer.java).
//
//     java_peer java{server.uri(), 30s};
//     auto waits = java.start("waiter", "lock", {name});       // on the Java thread "waiter"
//     hold.release();
//     java.end_of(waits);
#pragma once

#include "support/child_process.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::test {

/// Thread safety: not safe; one thread of the test talks to it.
class java_peer {
public:
    struct reply {
        bool ok = false;
        std::string value{}; ///< or the text of the exception
        std::string exception_class{};
    };
    using ticket = int;
    using words = std::vector<std::string>;

    /// Starts the program and waits until it is connected; throws std::runtime_error with its stderr when it is not.
    /// `uri`: also "file:PATH", what a file of Redisson's says. `fair_wait`: for how long its waiters keep their places in the
    /// queue of a fair lock.
    java_peer(std::filesystem::path const& classes, std::string const& uri, std::chrono::milliseconds watchdog_timeout,
              std::chrono::milliseconds fair_wait = std::chrono::minutes(5), words const& environment = {});

    /// Begins a command on a Java thread of that name. Arguments are percent-encoded here.
    ticket start(std::string const& thread, std::string const& command, words const& arguments = {});
    /// None: not ended yet.
    std::optional<reply> reply_if_any(ticket which, std::chrono::milliseconds limit = std::chrono::milliseconds(0));
    /// Throws std::runtime_error when there is none within the limit.
    reply end_of(ticket which, std::chrono::milliseconds limit = patience);

    /// Begins and waits.
    reply ask(std::string const& thread, std::string const& command, words const& arguments = {}) {
        return end_of(start(thread, command, arguments));
    }
    /// The value; throws std::runtime_error when the command ended with an exception.
    std::string value(std::string const& thread, std::string const& command, words const& arguments = {});
    long long number(std::string const& thread, std::string const& command, words const& arguments = {});
    bool yes(std::string const& thread, std::string const& command, words const& arguments = {});

    /// SIGKILL: a crash.
    void kill();

private:
    bool take_line(std::chrono::milliseconds limit);

    child_process process_;
    std::map<ticket, reply> replies_{};
    ticket last_ = 0;
};

/// As java.net.URLDecoder reads it.
std::string percent_encoded(std::string_view text);
std::string percent_decoded(std::string_view text);

} // namespace redlatch::test
