// Suites run in variants: as users get the library, and with what is on by default turned off.
#pragma once

#include <redlatch/config.hpp>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace redlatch::test {

/// REDLATCH_TEST_VARIANT is a list of words. Tests that are about one of these settings set it themselves.
inline bool in_variant(std::string_view word) {
    char const* const variant = std::getenv("REDLATCH_TEST_VARIANT");
    return variant != nullptr && std::string_view(variant).find(word) != std::string_view::npos;
}

inline config as_variant(config settings) {
    if (in_variant("scripts")) settings.commands = command_set::scripts;
    if (in_variant("no_hand_off")) settings.local_handoff.enabled = false;
    if (in_variant("confirmed")) settings.replicas = replica_policy::all(); // of none: what is asked, and no wait
    return settings;
}

} // namespace redlatch::test
