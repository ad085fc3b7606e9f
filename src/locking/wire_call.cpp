#include "locking/wire_call.hpp"

#include "base/recycling.hpp"
#include "resp/command.hpp"

namespace redlatch::locking {
namespace {

constexpr std::string_view by_sha = "EVALSHA";

/// Writes the key, and notes where it stands.
void write_key(wire_call& call, resp::command_writer& line, std::string_view key) {
    constexpr std::string_view line_end = "\r\n";
    line.argument(key);
    call.key_begin = line.size() - line_end.size() - key.size();
    call.key_size = key.size();
}

} // namespace

wire_call script_call(script const& program, std::span<std::string_view const> keys,
                      std::span<std::string_view const> arguments) {
    wire_call call{base::spare_text(), &program};
    auto const count = std::to_string(keys.size());
    auto size = by_sha.size() + program.sha1.size() + count.size();
    for (auto const& one : keys) size += one.size();
    for (auto const& one : arguments) size += one.size();
    resp::command_writer line(call.bytes, 3 + keys.size() + arguments.size(), size);
    line.argument(by_sha);
    line.argument(program.sha1);
    line.argument(count);
    if (!keys.empty()) {
        write_key(call, line, keys.front());
        for (auto const& one : keys.subspan(1)) line.argument(one);
    }
    for (auto const& one : arguments) line.argument(one);
    return call;
}

wire_call script_call(script const& program, std::initializer_list<std::string_view> keys,
                      std::initializer_list<std::string_view> arguments) {
    return script_call(program, std::span(keys.begin(), keys.size()), std::span(arguments.begin(), arguments.size()));
}

std::string by_text(script const& program, std::string_view bytes) {
    // "*5\r\n$7\r\nEVALSHA\r\n$40\r\n<SHA-1>\r\n" and the rest, which both forms share.
    auto const parts = bytes.substr(0, bytes.find('$'));
    auto const rest = bytes.substr(bytes.find(program.sha1) + program.sha1.size());
    auto const size = std::to_string(program.text.size());
    constexpr std::string_view command = "$4\r\nEVAL\r\n$";
    std::string out;
    out.reserve(parts.size() + command.size() + size.size() + 2 + program.text.size() + rest.size());
    out.append(parts).append(command).append(size).append("\r\n").append(program.text).append(rest);
    return out;
}

wire_call command_call(std::string_view command, std::string_view key,
                       std::initializer_list<std::string_view> arguments) {
    wire_call call{base::spare_text()};
    auto size = command.size() + key.size();
    for (auto const& one : arguments) size += one.size();
    resp::command_writer line(call.bytes, 2 + arguments.size(), size);
    line.argument(command);
    write_key(call, line, key);
    for (auto const& one : arguments) line.argument(one);
    return call;
}

wire_call command_call(wire_call first, std::initializer_list<std::string_view> second) {
    resp::append_command(first.bytes, second);
    ++first.replies;
    return first;
}

} // namespace redlatch::locking
