// What RESTORE takes to make a lock that is held once: the hash {OWNER: "1"} as a dump of RDB version 6, which every server
// since Redis 2.6 reads.
#pragma once

#include <string>
#include <string_view>

namespace redlatch::bench {

std::string plain_payload(std::string_view owner);

} // namespace redlatch::bench
