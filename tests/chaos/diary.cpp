#include "diary.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace redlatch::chaos {

namespace {

[[noreturn]] void fail(std::string const& file) {
    throw std::system_error(errno, std::generic_category(), file);
}

} // namespace

diary::diary(std::string const& file) : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
    if (!file_) fail(file);
}

void diary::say(event const& what) const {
    auto const line = to_line(what);
    if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail("the history");
}

token_counter::token_counter(std::string const& file) {
    test::descriptor const opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!opened || ::ftruncate(opened.get(), sizeof(std::int64_t)) != 0) fail(file);
    void* const place = ::mmap(nullptr, sizeof *value_, PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
    if (place == MAP_FAILED) fail(file);
    value_ = static_cast<std::atomic<std::int64_t>*>(place);
}

token_counter::~token_counter() {
    ::munmap(value_, sizeof *value_);
}

} // namespace redlatch::chaos
