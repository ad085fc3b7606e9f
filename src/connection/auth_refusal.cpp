#include "connection/auth_refusal.hpp"

#include <algorithm>
#include <array>

namespace redlatch::connection {
namespace {

/// What servers say whatever they were given: that a password is one of these words is chance.
constexpr std::array<std::string_view, 4> fixed_texts{"WRONGPASS invalid username-password pair or user is disabled.",
                                                      "ERR invalid password",
                                                      "ERR AUTH <password> called without any password configured for "
                                                      "the default user. Are you sure your configuration is "
                                                      "correct?",
                                                      "ERR Client sent AUTH, but no password is set"};

} // namespace

std::string shown_refusal(std::string_view error, std::string_view password) {
    if (std::find(fixed_texts.begin(), fixed_texts.end(), error) != fixed_texts.end()) return std::string(error);
    auto const shown = error.substr(0, error.find(", with args beginning with"));
    constexpr std::size_t telling = 16; // what is quoted may have been cut short
    auto const secret = password.substr(0, telling);
    if (!secret.empty() && shown.find(secret) != std::string_view::npos)
        return "its answer has the password in it, and is not shown";
    return std::string(shown);
}

} // namespace redlatch::connection
