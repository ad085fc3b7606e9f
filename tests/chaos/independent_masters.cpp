#include "independent_masters.hpp"

#include "support/lock_helpers.hpp"

namespace redlatch::chaos {

std::string independent_masters::uri() const {
    std::string all;
    for (auto const& one : servers_) all += (all.empty() ? "" : " ") + one.uri();
    return all;
}

bool independent_masters::somebody_listens(std::string const& lock) const {
    for (auto const& one : servers_)
        if (one.running() && has_subscriber(one.admin(), test::channel_of(lock))) return true;
    return false;
}

std::vector<std::string> independent_masters::keys(std::string const& pattern) const {
    std::vector<std::string> all;
    for (auto const& one : servers_) {
        if (!one.running()) continue;
        auto const some = keys_of(one.admin(), pattern);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

} // namespace redlatch::chaos
