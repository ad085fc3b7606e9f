// When two replies count as equal: byte by byte, but for what a clock, a process or a hash table decides.
#pragma once

#include "resp/value.hpp"
#include "sim/server/differential/step.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace redlatch::sim {

struct difference {
    std::string text;
};

/// Throws a difference: no server says anything else than a reply.
resp::value parsed(std::string_view bytes);

struct same_but {
    std::int64_t tolerance_ms; ///< of a time that is left, or of a moment: as long as the longest step took
    std::map<std::string, std::string> const& simulated_ids; ///< by the real server's CLIENT ID
};

/// Replies to this command; for a message that came by itself, no words.
bool same_reply(word_list const& command, std::string_view simulated, std::string_view real, same_but const& allowed);

} // namespace redlatch::sim
