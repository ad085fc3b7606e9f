#include "io/spare_rights.hpp"

#include "io/log.hpp"

namespace redlatch::io {

void spare_rights::refused(std::string const& server, std::string_view command, std::string_view said) {
    {
        std::lock_guard const guard(mutex_);
        if (!told_.emplace(command).second) return;
    }
    log(log_level::info, "the server " + server + " does not let this user run '" + std::string(command) + "' ("
                             + std::string(said)
                             + "); redlatch goes on without it: redlatch doctor says what that means, and redlatch acl "
                               "prints a rule that allows all that is used");
}

void spare_rights::refused(std::string const& server, std::vector<connection::missing_right> const& answers) {
    for (auto const& one : answers) refused(server, one.command, one.said);
}

} // namespace redlatch::io
