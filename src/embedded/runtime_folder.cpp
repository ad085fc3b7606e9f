#include "embedded/runtime_folder.hpp"

#include "base/error_text.hpp"
#include "io/uri_text.hpp"

#include <redlatch/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace redlatch::embedded {

namespace {

constexpr char const* override_variable = "REDLATCH_RUNTIME_DIR";

[[noreturn]] void refuse(std::filesystem::path const& folder, std::string const& problem) {
    throw error(errc::bad_config, "the folder '" + io::printable(folder.string())
                                      + "' cannot be used for the private server: " + problem + " (" + override_variable
                                      + " names another one)");
}

/// Is the path still that of this file? Somebody may have removed the file after it was opened.
bool is_at(io::unique_fd const& file, std::filesystem::path const& path) {
    struct stat its {};
    struct stat there {};
    return ::fstat(file.get(), &its) == 0 && ::lstat(path.c_str(), &there) == 0 && its.st_dev == there.st_dev
           && its.st_ino == there.st_ino;
}

} // namespace

void require_own_rights() {
    if (::getuid() != ::geteuid() || ::getauxval(AT_SECURE) != 0)
        throw error(errc::bad_config, "a program that runs with more rights than its caller, as by set-user-id, "
                                      "set-group-id or capabilities of its file, has no private server; name a server");
}

std::filesystem::path default_folder() {
    require_own_rights();
    char const* const chosen = ::secure_getenv(override_variable);
    if (chosen == nullptr || *chosen == '\0') return "/tmp/redlatch-" + std::to_string(::getuid());
    std::filesystem::path folder = chosen;
    if (!folder.is_absolute()) refuse(folder, "it must be an absolute path, so that all programs mean the same one");
    return folder;
}

void require_private_folder(std::filesystem::path const& folder) {
    if ((folder / "redis.sock").native().size() >= sizeof(sockaddr_un::sun_path))
        refuse(folder, "its path is too long for a socket in it; 96 bytes are the most");
    if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
        refuse(folder, "it cannot be made: " + base::error_text(errno));
    struct stat status {};
    if (::lstat(folder.c_str(), &status) != 0) refuse(folder, base::error_text(errno));
    if (S_ISLNK(status.st_mode)) refuse(folder, "it is a symbolic link, and must be a real directory");
    if (!S_ISDIR(status.st_mode)) refuse(folder, "it is not a directory");
    if (status.st_uid != ::geteuid())
        refuse(folder, "it belongs to the user with id " + std::to_string(status.st_uid) + ", not to "
                           + std::to_string(::geteuid()));
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        refuse(folder, "others than its owner may use it; 'chmod 700' it, after a look at what is in it");
    if ((status.st_mode & S_IRWXU) != S_IRWXU) refuse(folder, "its owner may not use it; 'chmod 700' it");
}

std::optional<start_lock> start_lock::try_take(std::filesystem::path const& folder) {
    auto const path = folder / "start.lock";
    io::unique_fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR));
    if (!file) refuse(folder, "start.lock in it cannot be opened: " + base::error_text(errno));
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::nullopt;
        if (errno != EINTR) refuse(folder, "start.lock in it cannot be locked: " + base::error_text(errno));
    }
    start_lock taken(std::move(file));
    // A lock on a file that is not there any more keeps nobody out.
    return is_at(taken.file_, path) ? std::optional(std::move(taken)) : std::nullopt;
}

start_lock::~start_lock() {
    // Not merely closed: a child that another thread forks at this moment has a copy of the descriptor.
    if (file_) ::flock(file_.get(), LOCK_UN);
}

} // namespace redlatch::embedded
