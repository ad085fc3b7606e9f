#include "floor/lock_requests.hpp"

#include "floor/plain_payload.hpp"

#include <floor_scripts.h>

namespace redlatch::bench {

lock_requests::lock_requests(form which, std::string const& name, std::string const& owner) : sent_as(which) {
    std::string const lease = "30000";
    if (which == form::scripts) {
        acquire = {"EVALSHA", lock_acquire_sha1, "1", name, lease, owner};
        release = {{"EVALSHA", lock_release_sha1, "1", name, owner, "PUBLISH", channel_of(name)}};
    } else {
        acquire = {"RESTORE", name, lease, plain_payload(owner)};
        release = {{"HDEL", name, owner}, {"PUBLISH", channel_of(name), "0"}};
    }
}

std::vector<command_words> script_loads() {
    return {{"SCRIPT", "LOAD", lock_acquire_text}, {"SCRIPT", "LOAD", lock_release_text}};
}

} // namespace redlatch::bench
