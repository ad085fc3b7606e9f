// Commands, encoded for the wire: an array of bulk strings.
#pragma once

#include "base/recycling.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace redlatch::resp {

/// Appends one command to a string, argument by argument. The string is not to be touched while the writer lives.
class command_writer {
public:
    /// `bytes`: of all arguments together, without what stands around them.
    command_writer(std::string& out, std::size_t arguments, std::size_t bytes);
    command_writer(command_writer const&) = delete;
    command_writer& operator=(command_writer const&) = delete;
    ~command_writer() { out_.resize(size()); }

    /// Arbitrary bytes.
    void argument(std::string_view bytes) noexcept;
    /// So long is the string up to here.
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - out_.data()); }

private:
    std::string& out_;
    char* at_ = nullptr;
};

/// Appends one command to `out`. Arguments are arbitrary bytes.
void append_command(std::string& out, std::span<std::string_view const> arguments);
void append_command(std::string& out, std::initializer_list<std::string_view> arguments);

/// The same as a string of its own: command("CLIENT", "SETNAME", name).
template <std::convertible_to<std::string_view>... Arguments> std::string command(Arguments const&... arguments) {
    auto out = base::spare_text();
    append_command(out, {std::string_view(arguments)...});
    return out;
}

} // namespace redlatch::resp
