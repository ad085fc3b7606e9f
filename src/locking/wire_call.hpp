// A call about a lock as it goes over the wire: a script by its SHA-1, or plain commands. It names the key that it is about.
#pragma once

#include "locking/script.hpp"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace redlatch::locking {

struct wire_call {
    std::string bytes;
    script const* text_of = nullptr; ///< of a script: its text is to be sent where the server does not know the SHA-1
    int replies = 1;                 ///< one, or two: as many as there are commands in `bytes`
    std::size_t key_begin = 0;       ///< in `bytes`
    std::size_t key_size = 0;

    /// What says which server of several the call is for: its first key; empty: it is about none. Valid until `bytes` changes.
    std::string_view key() const noexcept { return std::string_view(bytes).substr(key_begin, key_size); }
    bool is_script() const noexcept { return text_of != nullptr; }
};

/// EVALSHA. The bytes come from base::spare_text.
wire_call script_call(script const& program, std::span<std::string_view const> keys,
                      std::span<std::string_view const> arguments);
wire_call script_call(script const& program, std::initializer_list<std::string_view> keys,
                      std::initializer_list<std::string_view> arguments);

/// EVAL with the text of the script, of the bytes that script_call() has made.
std::string by_text(script const& program, std::string_view bytes);

/// A command whose first argument is its key. The bytes come from base::spare_text.
wire_call command_call(std::string_view command, std::string_view key,
                       std::initializer_list<std::string_view> arguments = {});
/// The same with a second command behind it, in one write.
wire_call command_call(wire_call first, std::initializer_list<std::string_view> second);

} // namespace redlatch::locking
