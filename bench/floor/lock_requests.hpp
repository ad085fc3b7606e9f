// What the floors send: the scripts of the library, or plain commands that leave the same hash behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redlatch::bench {

enum class form { scripts, plain };

inline std::string name_of(form which) {
    return which == form::scripts ? "scripts" : "plain";
}

/// The arguments of one command.
using command_words = std::vector<std::string>;

/// A cycle of one owner on one lock.
struct lock_requests {
    lock_requests(form which, std::string const& name, std::string const& owner);

    form sent_as;
    command_words acquire;              ///< scripts: EVALSHA; plain: RESTORE
    std::vector<command_words> release; ///< scripts: EVALSHA; plain: HDEL and PUBLISH, in one write

    static std::string channel_of(std::string const& name) { return "redisson_lock__channel:{" + name + "}"; }
};

/// To be sent once before scripts are called.
std::vector<command_words> script_loads();

} // namespace redlatch::bench
