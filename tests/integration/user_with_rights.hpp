// A user of the server who may do what a test says.
#pragma once

#include "integration/fixture.hpp"

namespace redlatch::test {

/// Makes the user `restricted`, or makes it anew, with these rights and no others. Settings that connect as this user.
inline config settings_with_rights(redis_server const& server, words const& rights) {
    words command{"ACL", "SETUSER", "restricted", "reset", "on", ">secret"};
    command.insert(command.end(), rights.begin(), rights.end());
    EXPECT_EQ(server.admin().command(command).text, "OK");
    config settings = quick(server.uri());
    settings.username = "restricted";
    settings.password = "secret";
    return settings;
}

} // namespace redlatch::test
