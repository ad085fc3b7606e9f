// Replies in which a server speaks of itself, read into server_facts. What is missing, too long or no number stays absent: any
// proxy may have written it.
#pragma once

#include "resp/value.hpp"

#include <redlatch/server_facts.hpp>

#include <chrono>
#include <string_view>

namespace redlatch::detail {

/// The text of INFO.
void read_info_facts(std::string_view text, server_facts& into);
/// [name, value ...] of HELLO: software and version, where INFO has not said them.
void read_hello_facts(resp::value const& reply, server_facts& into);
/// [name, value] of CONFIG GET; `name`: of the parameter. False: it is no answer to that.
bool read_setting(std::string_view name, resp::value const& reply, server_facts& into);
/// [master, ...] or [slave, ...] of ROLE, where INFO has not said it.
void read_role_facts(resp::value const& reply, server_facts& into);
/// [seconds, microseconds] of TIME, since 1970. None: it is no answer to that.
std::optional<std::chrono::microseconds> read_time(resp::value const& reply);

} // namespace redlatch::detail
