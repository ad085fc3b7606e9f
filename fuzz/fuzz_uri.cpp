// Any text as a URI: a configuration, or an error that says what is wrong with it.
#include "config_promises.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const uri(reinterpret_cast<char const*>(data), size);
    redlatch::fuzz::read_twice([uri] { return redlatch::config::from_uri(uri); });
    return 0;
}
