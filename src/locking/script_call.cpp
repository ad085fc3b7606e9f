#include "locking/script_call.hpp"

#include "resp/command.hpp"

namespace redlatch::locking {

script_call::script_call(script const& which, std::vector<std::string_view> const& keys,
                         std::vector<std::string_view> const& arguments)
    : script_(&which), parts_(3 + keys.size() + arguments.size()) {
    auto const count = std::to_string(keys.size());
    std::vector<std::string_view> words;
    words.reserve(parts_);
    words.insert(words.end(), {"EVALSHA", which.sha1, count});
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    resp::append_command(by_sha_, words);
    // The tail is the same in both forms: behind the array header, the command's name and the SHA-1.
    tail_ = by_sha_.find(which.sha1) + which.sha1.size() + 2;
}

script_call::script_call(script const& which, std::initializer_list<std::string_view> keys,
                         std::initializer_list<std::string_view> arguments)
    : script_call(which, std::vector<std::string_view>(keys), std::vector<std::string_view>(arguments)) {}

std::string script_call::by_text() const {
    std::string out =
        "*" + std::to_string(parts_) + "\r\n$4\r\nEVAL\r\n$" + std::to_string(script_->text.size()) + "\r\n";
    out.append(script_->text).append("\r\n").append(by_sha_, tail_);
    return out;
}

} // namespace redlatch::locking
