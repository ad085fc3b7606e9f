#include "api/config_yaml.hpp"
#include "api/yaml_tls.hpp"
#include "base/error_text.hpp"
#include "io/log.hpp"
#include "io/unique_fd.hpp"
#include "io/uri_text.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

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

/// Of a pipe, as of a shell's <(command).
void wait_for_writer(int pipe, std::string const& name) {
    constexpr int patience_ms = 30'000;
    pollfd one{pipe, POLLIN, 0};
    auto const ready = ::poll(&one, 1, patience_ms);
    if (ready == 0) refuse(name, "it is a pipe to which nothing was written for 30 s");
    if (ready < 0 && errno != EINTR) refuse(name, base::error_text(errno));
}

file_contents read_all(std::filesystem::path const& path, std::string const& name) {
    // Without O_NONBLOCK the opening of a pipe that nobody writes to would hang.
    io::unique_fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) refuse(name, base::error_text(errno));
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) refuse(name, base::error_text(errno));
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) refuse(name, "it is neither a regular file nor a pipe");
    file_contents result;
    result.mode = status.st_mode;
    auto& text = result.text;
    while (text.size() <= largest_file) {
        char buffer[16384];
        auto const count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            wait_for_writer(file.get(), name);
            continue;
        }
        if (count < 0) refuse(name, base::error_text(errno));
        if (count == 0) return result;
        text.append(buffer, static_cast<std::size_t>(count));
    }
    refuse(name, "it is larger than 1 MiB");
}

/// The file that Spring Boot's `redisson.file` means. What Java looks for on its class path lies beside its other settings.
std::filesystem::path path_of(yaml_setting const& value, std::filesystem::path const& folder) {
    auto const text = value.text();
    if (text.starts_with("file:")) return yaml_tls::file(value);
    std::string_view name = text;
    if (name.starts_with("classpath:")) name.remove_prefix(name.find(':') + 1);
    if (name.empty() || name.find("://") != std::string_view::npos)
        refuse_yaml(value.at() + " needs a file, as in file:/etc/redisson.yaml or classpath:redisson.yaml");
    return folder / name.substr(std::min(name.find_first_not_of('/'), name.size()));
}

struct source {
    std::string name{};
    file_contents contents{};
};

void warn_of_readers(source const& file) {
    if ((file.contents.mode & S_IROTH) == 0) return;
    io::log(log_level::warning, "the configuration file '" + file.name
                                    + "' holds a password, and every user of this machine may read it: chmod o-r "
                                      "it, or take the password from the environment, as in ${REDIS_PASSWORD}");
}

} // namespace

config config::from_file(std::filesystem::path const& file) {
    std::vector<source> sources;
    sources.reserve(2); // this file, and the one that it may name: read_yaml looks at both texts
    auto const read = [&](std::filesystem::path const& path) -> std::string const& {
        auto const name = io::printable(path.string());
        sources.push_back({name, read_all(path, name)});
        return sources.back().contents.text;
    };
    auto const& text = read(file);
    try {
        auto result =
            read_yaml(text, [&](yaml_setting const& other) { return read(path_of(other, file.parent_path())); });
        if (result.shows_password) warn_of_readers(sources.back());
        if (result.shows_password_beside) warn_of_readers(sources.front());
        return std::move(result.settings);
    } catch (error const& problem) {
        throw error(errc::bad_config, sources.back().name + ": " + problem.what());
    }
}

} // namespace redlatch
