#include "terminal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::cli {
namespace {

bool is_pipe(int number) noexcept {
    struct stat status {};
    return ::fstat(number, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

} // namespace

terminal::terminal(bool background) noexcept {
    if (background) return;
    descriptor_ = descriptor(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (descriptor_) in_pipeline_ = is_pipe(STDIN_FILENO) || is_pipe(STDOUT_FILENO);
}

bool terminal::is_ours() const noexcept {
    return descriptor_ && ::tcgetpgrp(descriptor_.get()) == ::getpgrp();
}

int terminal::for_command() noexcept {
    given_ = !in_pipeline_ && is_ours();
    if (given_) save_modes();
    return given_ ? descriptor_.get() : -1;
}

bool terminal::give_to(pid_t group) noexcept {
    if (!is_ours()) return false;
    save_modes();
    if (::tcsetpgrp(descriptor_.get(), group) != 0) return false;
    given_ = true;
    return true;
}

void terminal::give_back_to(pid_t group) noexcept {
    if (!in_pipeline_) give_to(group);
}

void terminal::take_back() noexcept {
    if (given_) ::tcsetpgrp(descriptor_.get(), ::getpgrp());
    given_ = false;
}

void terminal::save_modes() noexcept {
    termios present{};
    if (!modes_ && ::tcgetattr(descriptor_.get(), &present) == 0) modes_ = present;
}

void terminal::restore_modes() noexcept {
    if (modes_ && is_ours()) ::tcsetattr(descriptor_.get(), TCSANOW, &*modes_);
}

} // namespace redlatch::cli
