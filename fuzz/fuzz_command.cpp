// Any arguments: encoded and read back they are the same, and nothing is left over.
// Input: arguments, each after a byte with its length.
#include "check.hpp"
#include "resp/command.hpp"
#include "resp/reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace redlatch;
    std::vector<std::string_view> arguments;
    for (std::string_view rest(reinterpret_cast<char const*>(data), size); !rest.empty();) {
        std::size_t const length = static_cast<unsigned char>(rest.front());
        arguments.push_back(rest.substr(1, length));
        rest.remove_prefix(1 + arguments.back().size());
    }
    std::string bytes = "before";
    resp::append_command(bytes, arguments);
    fuzz::check(bytes.starts_with("before"), "a command is appended");

    resp::reader reader;
    reader.feed(std::string_view(bytes).substr(6));
    resp::value command;
    fuzz::check(reader.next(command) == resp::reader::result::value, "a command is one complete array");
    bool const same = std::equal(command.items.begin(), command.items.end(), arguments.begin(), arguments.end(),
                                 [](auto const& item, auto argument) {
                                     return item.type == resp::value::kind::string && item.text == argument;
                                 });
    fuzz::check(command.is_array() && same, "the arguments come back as they were");
    fuzz::check(reader.next(command) == resp::reader::result::need_more, "nothing is left over");
    return 0;
}
