// Everything that can be done with a lock or a synchronizer of each type that redlatch acl knows, once.
#pragma once

#include <redlatch/redlatch.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace redlatch::test {

struct acl_usage {
    std::string type;
    /// With names that begin with "jobs:". `other`: somebody else of the same rights.
    std::function<void(client& user, client& other)> use;
};

/// One for each type.
std::vector<acl_usage> const& acl_usages();

void PrintTo(acl_usage const& one, std::ostream* out);

} // namespace redlatch::test
