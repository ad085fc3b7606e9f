// The names of states and events, for logs.
#include <redlatch/client.hpp>
#include <redlatch/hold.hpp>

namespace redlatch {

std::string_view to_string(hold_status status) noexcept {
    switch (status) {
    case hold_status::none: return "none";
    case hold_status::held: return "held";
    case hold_status::suspect: return "suspect";
    case hold_status::lost: return "lost";
    case hold_status::released: return "released";
    }
    return "unknown";
}

std::string_view to_string(event::kind kind) noexcept {
    switch (kind) {
    case event::kind::hold_suspect: return "hold_suspect";
    case event::kind::hold_recovered: return "hold_recovered";
    case event::kind::hold_lost: return "hold_lost";
    case event::kind::release_failed: return "release_failed";
    case event::kind::disconnected: return "disconnected";
    case event::kind::reconnected: return "reconnected";
    case event::kind::thread_exited_holding: return "thread_exited_holding";
    case event::kind::server_refuses: return "server_refuses";
    case event::kind::server_recovered: return "server_recovered";
    case event::kind::eviction_possible: return "eviction_possible";
    case event::kind::too_few_replicas: return "too_few_replicas";
    }
    return "unknown";
}

} // namespace redlatch
