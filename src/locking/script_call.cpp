#include "locking/script_call.hpp"

#include "resp/command.hpp"

namespace redlatch::locking {

script_call::script_call(script const& which, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments)
    : script_(&which), by_sha_(base::spare_text(base::text_for::command)), parts_(3 + keys.size() + arguments.size()) {
    constexpr std::string_view command = "EVALSHA";
    auto const count = std::to_string(keys.size());
    auto bytes = command.size() + which.sha1.size() + count.size();
    for (auto const& one : keys) bytes += one.size();
    for (auto const& one : arguments) bytes += one.size();
    resp::command_writer line(by_sha_, parts_, bytes);
    line.argument(command);
    line.argument(which.sha1);
    tail_ = line.size(); // from here on, both forms are the same
    line.argument(count);
    for (auto const& one : keys) line.argument(one);
    for (auto const& one : arguments) line.argument(one);
}

script_call::script_call(script const& which, std::initializer_list<std::string_view> keys,
                         std::initializer_list<std::string_view> arguments)
    : script_call(which, std::span(keys.begin(), keys.size()), std::span(arguments.begin(), arguments.size())) {}

std::string script_call::by_text(std::string_view by_sha) const {
    std::string out =
        "*" + std::to_string(parts_) + "\r\n$4\r\nEVAL\r\n$" + std::to_string(script_->text.size()) + "\r\n";
    out.append(script_->text).append("\r\n").append(by_sha.substr(tail_));
    return out;
}

} // namespace redlatch::locking
