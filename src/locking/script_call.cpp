#include "locking/script_call.hpp"

#include "resp/command.hpp"

namespace redlatch::locking {

script_call::script_call(script const& which, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments)
    : script_(&which), parts_(3 + keys.size() + arguments.size()) {
    constexpr std::string_view command = "EVALSHA";
    std::size_t bytes = command.size() + which.sha1.size();
    for (auto const& one : keys) bytes += one.size();
    for (auto const& one : arguments) bytes += one.size();
    by_sha_.resize(bytes + (parts_ + 2) * resp::room_around_argument); // with the header, and the number of keys
    auto* at = resp::put_header(by_sha_.data(), parts_);
    at = resp::put_argument(at, command);
    at = resp::put_argument(at, which.sha1);
    tail_ = static_cast<std::size_t>(at - by_sha_.data()); // from here on, both forms are the same
    at = resp::put_argument(at, std::to_string(keys.size()));
    for (auto const& one : keys) at = resp::put_argument(at, one);
    for (auto const& one : arguments) at = resp::put_argument(at, one);
    by_sha_.resize(static_cast<std::size_t>(at - by_sha_.data()));
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
