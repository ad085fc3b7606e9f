// The server-side scripts: text from lua/, embedded at build time, with its SHA-1.
#pragma once

#include <span>
#include <string_view>

namespace redlatch::locking {

struct script {
    std::string_view name; ///< the file's name without .lua
    std::string_view text;
    std::string_view sha1; ///< 40 lower-case hex digits, as the server computes it
};

/// One for each file in lua/, by its name; KEYS, ARGV and returns are documented at the top of each file.
namespace scripts {
extern std::span<script const* const> const all;
} // namespace scripts

} // namespace redlatch::locking

#include "locking/script_list.hpp" // generated: the single scripts
