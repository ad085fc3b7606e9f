#include "api/config_yaml.hpp"
#include "base/error_text.hpp"
#include "io/log.hpp"
#include "io/unique_fd.hpp"
#include "io/uri_text.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace redlatch {

namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20; // config::from_yaml refuses larger ones, too

[[noreturn]] void refuse(std::string const& name, std::string const& problem) {
    throw error(errc::bad_config, "the configuration file '" + name + "' cannot be used: " + problem);
}

struct file_contents {
    std::string text{};
    ::mode_t mode = 0;
};

file_contents read_all(std::filesystem::path const& path, std::string const& name) {
    // Without O_NONBLOCK the opening of a pipe that nobody writes to would hang.
    io::unique_fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) refuse(name, base::error_text(errno));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) refuse(name, base::error_text(errno));
    if (!S_ISREG(status.st_mode)) refuse(name, "it is not a regular file");
    file_contents result;
    result.mode = status.st_mode;
    auto& text = result.text;
    while (text.size() <= largest_file) {
        char buffer[16384];
        auto const count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(name, base::error_text(errno));
        if (count == 0) return result;
        text.append(buffer, static_cast<std::size_t>(count));
    }
    refuse(name, "it is larger than 1 MiB");
}

} // namespace

config config::from_file(std::filesystem::path const& file) {
    auto const name = io::printable(file.string());
    auto const contents = read_all(file, name);
    try {
        auto result = read_yaml(contents.text);
        if (result.shows_password && (contents.mode & S_IROTH) != 0)
            io::log(log_level::warning,
                    "the configuration file '" + name
                        + "' holds a password, and every user of this machine may read it: chmod o-r "
                          "it, or take the password from the environment, as in ${REDIS_PASSWORD}");
        return std::move(result.settings);
    } catch (error const& problem) {
        throw error(errc::bad_config, name + ": " + problem.what());
    }
}

} // namespace redlatch
