#include "connection/auth_refusal.hpp"

namespace redlatch::connection {

std::string shown_refusal(std::string_view error, std::string_view password) {
    auto const shown = error.substr(0, error.find(", with args beginning with"));
    constexpr std::size_t telling = 16; // what is quoted may have been cut short
    auto const secret = password.substr(0, telling);
    if (!secret.empty() && shown.find(secret) != std::string_view::npos)
        return "its answer has the password in it, and is not shown";
    return std::string(shown);
}

} // namespace redlatch::connection
