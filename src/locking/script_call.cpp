#include "locking/script_call.hpp"

#include "resp/command.hpp"

namespace redlatch::locking {

script_call::script_call(script const& which, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments)
    : script_(&which), parts_(3 + keys.size() + arguments.size()) {
    constexpr std::size_t most_around_an_argument = 16; // its length line and line ends
    std::size_t bytes = which.sha1.size();
    for (auto const& one : keys) bytes += one.size();
    for (auto const& one : arguments) bytes += one.size();
    by_sha_.reserve(bytes + (parts_ + 1) * most_around_an_argument);
    resp::append_header(by_sha_, parts_);
    resp::append_argument(by_sha_, "EVALSHA");
    resp::append_argument(by_sha_, which.sha1);
    tail_ = by_sha_.size(); // from here on, both forms are the same
    resp::append_argument(by_sha_, std::to_string(keys.size()));
    for (auto const& one : keys) resp::append_argument(by_sha_, one);
    for (auto const& one : arguments) resp::append_argument(by_sha_, one);
}

script_call::script_call(script const& which, std::initializer_list<std::string_view> keys,
                         std::initializer_list<std::string_view> arguments)
    : script_call(which, std::span(keys.begin(), keys.size()), std::span(arguments.begin(), arguments.size())) {}

std::string script_call::by_text() const {
    std::string out =
        "*" + std::to_string(parts_) + "\r\n$4\r\nEVAL\r\n$" + std::to_string(script_->text.size()) + "\r\n";
    out.append(script_->text).append("\r\n").append(by_sha_, tail_);
    return out;
}

} // namespace redlatch::locking
