#include "faketime.hpp"

#include <filesystem>
#include <fstream>

namespace redlatch::chaos {

fake_clock::fake_clock() {
    set("+0");
}

std::string fake_clock::library() {
    for (auto const* path :
         {"/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
          "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/faketime/libfaketimeMT.so.1"})
        if (std::filesystem::exists(path)) return path;
    return {};
}

std::vector<std::string> fake_clock::environment() const {
    return {"LD_PRELOAD=" + library(), "FAKETIME_TIMESTAMP_FILE=" + (folder_.path() / "offset").string(),
            "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1"};
}

void fake_clock::set(std::string const& offset) const {
    // Read while it is written it would say nothing.
    auto const file = folder_.path() / "offset";
    std::ofstream(file.string() + ".new") << offset << "\n";
    std::filesystem::rename(file.string() + ".new", file);
}

} // namespace redlatch::chaos
