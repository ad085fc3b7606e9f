// What a wait for a counter says of its failure.
#include "connection/server_error.hpp"
#include "io/counter_wait.hpp"
#include "locking/names.hpp"

#include <algorithm>
#include <string>

namespace redlatch::io {

std::string counter_wait::message() const {
    auto const kind = std::string(request_.what->how->kind);
    auto const which = kind + " " + locking::shown(request_.what->name);
    auto const server = "the server " + node_->address();
    bool const takes = request_.what->how->changes();
    switch (static_cast<errc>(result_.value())) {
    case errc::busy:
    case errc::timed_out:
        if (asked_at_ == base::instant())
            return "the wait for " + which + " ended behind others of this process, which came before; wait for longer";
        if (!op_.found_held() && result_ == errc::timed_out)
            return "the wait for " + which + " ended before the server had answered; wait for longer";
        if (!takes)
            return which + " " + std::string(request_.what->how->in_vain)
                   + (request_.may_wait ? " before the wait ended" : "");
        return which
               + (request_.amount == 1 ? " had no permit"
                                       : " had fewer than " + std::to_string(request_.amount) + " permits")
               + (request_.may_wait ? " until the wait ended" : "");
    case errc::cancelled: return "the wait for " + which + " was cancelled";
    case errc::closed: return "the client was closed while it waited for " + which;
    case errc::wrong_type:
        return "the key " + locking::shown(request_.what->name)
               + (request_.what->how->key_beside != nullptr
                      ? ", or " + locking::shown(request_.what->how->key_beside(request_.what->name)) + " beside it,"
                      : std::string())
               + " on " + server + " is not a " + kind + " (another type of value has this name); choose another name";
    case errc::server_refused:
        return server + " refused the wait for " + which + ": " + server_said_ + "; "
               + std::string(connection::what_to_do(server_said_));
    case errc::bad_reply: return server + " sent an unexpected reply to the wait for " + which;
    case errc::outcome_unknown:
        return "it is not known whether permits of " + which + " were taken: the connection to " + server
               + " broke before it had answered; make the " + std::string(request_.what->how->kind)
               + " with exactly_once, by which requests are repeated safely";
    case errc::disconnected: {
        auto const why = node_->data().line().trouble();
        return "the wait for " + which + " failed: " + (why.empty() ? server + " did not answer in time" : why);
    }
    case errc::invalid_argument: {
        auto const in_all = server_said_.substr(std::min(locking::too_few_in_all.size() + 1, server_said_.size()));
        return which + " can never give " + std::to_string(request_.amount) + " permits at once: it has " + in_all
               + "; ask for fewer, or set more of them";
    }
    case errc::not_owner:
    case errc::lease_lost:
    case errc::bad_config:
    case errc::bad_name:
    case errc::forked:
    case errc::wrong_thread:
    case errc::would_deadlock:
    case errc::not_replicated: break;
    }
    return which + ": " + result_.message();
}

} // namespace redlatch::io
