#include "io/make_locator.hpp"

#include "io/replicated_locator.hpp"
#include "io/sentinel_locator.hpp"

namespace redlatch::io {

std::shared_ptr<master_locator> make_locator(config const& settings, server_set const& servers,
                                             std::string const& name) {
    switch (servers.mode) {
    case server_mode::sentinel: return std::make_shared<sentinel_locator>(settings, servers, name);
    case server_mode::replicated: return std::make_shared<replicated_locator>(settings, servers, name);
    case server_mode::single:
    case server_mode::master_slave:
    case server_mode::cluster: break;
    }
    return nullptr;
}

} // namespace redlatch::io
