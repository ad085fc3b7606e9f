#include "floor/raw_locker.hpp"

#include <floor_scripts.h>

namespace redlatch::bench {

raw_locker::raw_locker(address const& where, std::string const& name, std::string const& owner)
    : connection_(where), acquire_(raw_command({"EVALSHA", lock_acquire_sha1, "1", name, "30000", owner})),
      release_(raw_command({"EVALSHA", lock_release_sha1, "2", name, channel_of(name), owner, "PUBLISH"})) {
    connection_.ask(raw_command({"SCRIPT", "LOAD", lock_acquire_text}));
    connection_.ask(raw_command({"SCRIPT", "LOAD", lock_release_text}));
}

} // namespace redlatch::bench
