#include "connection/server_error.hpp"

namespace redlatch::connection {

verdict judge(resp::value const& error) {
    for (auto const* word :
         {"LOADING", "BUSY", "OOM", "MISCONF", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS"})
        if (error.is_error_named(word)) return verdict::not_executed;
    if (error.is_error_named("READONLY")) return verdict::read_only;
    if (error.is_error_named("NOSCRIPT")) return verdict::no_script;
    if (error.is_error_named("WRONGTYPE")) return verdict::wrong_type;
    return verdict::refused;
}

errc to_errc(verdict what) noexcept {
    switch (what) {
    case verdict::not_executed:
    case verdict::read_only: return errc::disconnected;
    case verdict::wrong_type: return errc::wrong_type;
    case verdict::no_script:
    case verdict::refused: return errc::server_refused;
    }
    return errc::server_refused;
}

} // namespace redlatch::connection
