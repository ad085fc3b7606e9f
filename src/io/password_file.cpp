#include "io/password_file.hpp"

#include "base/error_text.hpp"
#include "io/log.hpp"
#include "io/unique_fd.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace redlatch::io {
namespace {

constexpr std::size_t largest_password = std::size_t{64} * 1024; // tokens are some kilobytes

[[noreturn]] void refuse(std::string const& path, std::string const& problem) {
    throw error(errc::bad_config, "the password file '" + printable(path) + "' cannot be used: " + problem);
}

void warn_once(std::string const& path) {
    static std::mutex mutex;
    static std::set<std::string> warned;
    {
        std::lock_guard const held(mutex);
        if (!warned.insert(path).second) return;
    }
    log(log_level::warning,
        "the password file '" + printable(path) + "' may be read by every user of this machine: chmod o-r it");
}

} // namespace

std::string read_password_file(std::string const& path) {
    // Without O_NONBLOCK the opening of a pipe that nobody writes to would hang.
    unique_fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) refuse(path, base::error_text(errno));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) refuse(path, base::error_text(errno));
    if (!S_ISREG(status.st_mode)) refuse(path, "it is not a regular file");
    if ((status.st_mode & S_IROTH) != 0) warn_once(path);
    std::string text;
    for (;;) {
        char buffer[4096];
        auto const count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(path, base::error_text(errno));
        if (count == 0) break;
        text.append(buffer, static_cast<std::size_t>(count));
        if (text.size() > largest_password) refuse(path, "it is larger than 64 KiB");
    }
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.empty()) refuse(path, "it is empty");
    return text;
}

} // namespace redlatch::io
