#include "pty_session.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <system_error>
#include <termios.h>
#include <unistd.h>

extern char** environ; // NOLINT

namespace redlatch::test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

} // namespace

pty_session::pty_session(std::vector<std::string> arguments, std::vector<std::string> environment) {
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    auto argv = pointers(arguments);
    auto envp = pointers(environment);
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, nullptr);
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
    if (pid_ == 0) {
        ::execvpe(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    master_ = descriptor(master);
}

pty_session::~pty_session() {
    master_.reset();
    if (reaped_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void pty_session::type(std::string const& keys) const {
    if (::write(master_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
        throw std::system_error(errno, std::generic_category(), "write to the terminal");
}

bool pty_session::read_more(std::chrono::milliseconds limit) {
    pollfd entry{master_.get(), POLLIN, 0};
    if (::poll(&entry, 1, static_cast<int>(limit.count())) <= 0) return false;
    char bytes[4096];
    auto const got = ::read(master_.get(), bytes, sizeof bytes);
    if (got <= 0) return false; // EIO: nobody has the other side open any more
    shown_.append(bytes, static_cast<std::size_t>(got));
    return true;
}

bool pty_session::shows(std::string const& text, std::chrono::milliseconds limit) {
    auto const end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        if (auto const at = shown_.find(text); at != std::string::npos) {
            shown_.erase(0, at + text.size());
            return true;
        }
        auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0 || !read_more(left)) return false;
    }
}

pid_t pty_session::foreground_group() const {
    return ::tcgetpgrp(master_.get());
}

bool pty_session::has_usual_modes() const {
    termios modes{};
    if (::tcgetattr(master_.get(), &modes) != 0) throw std::system_error(errno, std::generic_category(), "tcgetattr");
    return (modes.c_lflag & ECHO) != 0 && (modes.c_lflag & ICANON) != 0;
}

std::optional<int> pty_session::wait() {
    int status = 0;
    while (read_more(std::chrono::milliseconds(0))) {
    }
    reaped_ = wait_until([this, &status] {
        read_more(std::chrono::milliseconds(0)); // a full terminal would hold it up
        return ::waitpid(pid_, &status, WNOHANG) == pid_;
    });
    if (!reaped_) return std::nullopt;
    return status;
}

} // namespace redlatch::test
