// Scripts on a real server, their cases as tables of text.
#pragma once

#include "locking/script.hpp"
#include "support/redis_server.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::test {

using words = std::vector<std::string>;

/// One call of a script. States are lines as script_test::state() gives them.
struct script_case {
    std::string what;            ///< the situation, for the failure message
    std::vector<words> before{}; ///< commands that make the situation
    words keys;
    words arguments;
    std::string reply;              ///< as script_test::shown() gives it
    std::string reply_to_a_repeat;  ///< a copy of the call comes once more, as after a lost reply
    std::vector<std::string> after; ///< all keys, after the call and unchanged after its repeat
    std::optional<std::vector<std::string>> after_a_repeat{}; ///< of a call that does it again: then
    std::vector<std::string> told{};                          ///< what was published by both, as "channel message"
};

/// Runs on each kind of server that is installed; the others are skipped with a reason.
class script_test : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override;

    /// The whole table, each case on an empty server.
    void run(locking::script const& script, std::vector<script_case> const& table);

    /// EVALSHA, as the SHA-1 that was embedded.
    resp::value call(raw_client& client, locking::script const& script, words const& keys, words const& arguments);
    resp::value call(locking::script const& script, words const& keys, words const& arguments) {
        return call(admin(), script, keys, arguments);
    }
    /// Any command, which must not answer with an error.
    resp::value command(words const& arguments);

    /// In ms, as scripts compute it.
    std::int64_t server_time();

    /// A connection of a user who may do all but what `rights` take away, for example "-publish".
    raw_client restricted(std::vector<std::string> const& rights);

    /// Every key with its content and its lease: "NAME {FIELD=VALUE ...} 100s", "NAME text no expiry", "NAME [item ...]", and
    /// of a sorted set the members with what is left until their times, "NAME <member=100s ...>".
    std::vector<std::string> state();
    /// nil, 1, "text", !ERROR (its first word), [1 2]; a number above 1000 as a lease.
    static std::string shown(resp::value const& reply);

    redis_server& server() { return *server_; }
    raw_client& admin() { return *admin_; }

private:
    std::string content_of(std::string const& key);

    std::optional<redis_server> server_;
    std::optional<raw_client> admin_;
};

/// Hears all channels from its construction on.
class listener {
public:
    explicit listener(redis_server& server);
    /// All that was published before this call, as "channel message".
    std::vector<std::string> heard();

private:
    redis_server& server_;
    raw_client connection_;
};

/// All that the embedded table holds.
std::vector<locking::script const*> all_scripts();

} // namespace redlatch::test

#define REDLATCH_ON_EVERY_SERVER(suite)                                                                                \
    INSTANTIATE_TEST_SUITE_P(on, suite, testing::Values("redis-server", "valkey-server"),                              \
                             [](auto const& about) { return about.param.substr(0, about.param.find('-')); })
