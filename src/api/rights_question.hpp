// Which of the rights that redlatch makes use of this user has: asked of the server for all of them at once, by a script that
// runs none of the commands.
#pragma once

#include "resp/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::detail {

/// How the servers are arranged, as far as commands depend on it.
struct rights_arrangement {
    bool of_cluster = false;
    bool sharded = false;        ///< messages go to shards
    bool asks_for_roles = false; ///< the master is found by Sentinels or among several servers, or replicas are counted
};

class rights_question {
public:
    /// Of names that begin with `name_prefix`; empty: of all names.
    rights_question(std::string_view name_prefix, rights_arrangement const& among);

    /// The bytes of the call.
    std::string command() const;
    struct answer {
        /// As words of an ACL rule: "~jobs:*", "&redisson_lock__channel:{jobs:*", "+hset".
        std::vector<std::string> missing{};
        bool complete = false; ///< nothing else is missing, and all of these are
        /// Commands that the server does not know, as in a rule but without its sign: "client|kill".
        std::vector<std::string> unknown{};
    };
    /// None: the reply does not say it.
    std::optional<answer> read(resp::value const& reply) const;

private:
    struct question {
        std::vector<std::string> words;
        std::string command; ///< the word of a rule that allows it
        std::string pattern; ///< that of its key or channel; empty: it has none

        bool is_about_key() const noexcept { return pattern.starts_with('~'); }
        bool is_about_channel() const noexcept { return pattern.starts_with('&'); }
    };
    void ask(std::vector<std::string> words, std::string const& command, std::string const& pattern = {});

    std::vector<question> questions_{};
};

} // namespace redlatch::detail
