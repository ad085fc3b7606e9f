// Everything that can be done with a lock or a synchronizer of each type that redlatch acl knows, once.
#pragma once

#include <redlatch/redlatch.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace redlatch::test {

struct use_of_type {
    std::string type;
    /// With names that begin with "jobs:". `other`: somebody else of the same rights.
    std::function<void(client& user, client& other)> use;
};

/// One for each type.
std::vector<use_of_type> const& uses_of_all_types();

void PrintTo(use_of_type const& one, std::ostream* out);

} // namespace redlatch::test
