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

/// One for each file in lua/; KEYS, ARGV and returns are documented at the top of each.
namespace scripts {
extern std::span<script const* const> const all;
extern script const fenced_acquire;
extern script const fenced_set_count;
extern script const lock_acquire;
extern script const lock_set_count;
extern script const lock_release;
extern script const lock_renew;
extern script const lock_force_release;
} // namespace scripts

} // namespace redlatch::locking
