// How an acquisition ended, for a reader.
#include "connection/server_error.hpp"
#include "io/acquisition.hpp"
#include "locking/names.hpp"

namespace redlatch::io {

std::string acquisition::message() const {
    auto const lock = "lock " + locking::shown(request_.record->name);
    auto const server = "the server " + node_->address();
    switch (static_cast<errc>(result_.value())) {
    case errc::busy: return lock + " is held by somebody else";
    case errc::timed_out:
        if (op_.found_held()) return lock + " was held by somebody else until the wait ended";
        return "the wait for " + lock + " ended before the server had said whether it is free; wait for longer";
    case errc::cancelled: return "the wait for " + lock + " was cancelled";
    case errc::closed: return "the client was closed; " + lock + " was not acquired";
    case errc::lease_lost:
        return lock + " cannot be entered again: the hold of this owner is lost; release it and acquire anew";
    case errc::would_deadlock:
        if (request_.record->how->counterpart != nullptr)
            return lock + " is held by this owner for reading, as " + forbidden_to_
                   + "; it would wait for itself to write: release that hold first, or acquire for writing at once";
        if (!request_.record->parts().empty())
            return lock + " has values in common with what this owner holds as " + forbidden_to_
                   + "; it would wait for itself: release that hold first, or name all values in one lock";
        return lock + " is not re-entrant, and this owner holds it already as " + forbidden_to_
               + "; release that hold first, or use a re-entrant lock";
    case errc::wrong_type:
        if (request_.fencing || request_.record->how->always_fencing)
            return "the key " + locking::shown(request_.record->name) + " on " + server + " is not a lock, or "
                   + locking::shown(locking::token_counter(request_.record->name))
                   + ", which counts its tokens, is not a number (another type of value has this name); choose "
                     "another name";
        return "the key " + locking::shown(request_.record->name) + " on " + server
               + " is not a lock (another type of value has this name); choose another name";
    case errc::server_refused:
        return server + " refused to acquire " + lock + ": " + server_said_ + "; "
               + std::string(connection::what_to_do(server_said_));
    case errc::bad_reply: return server + " sent an unexpected reply to the acquisition of " + lock;
    case errc::disconnected: {
        auto const why = node_->data().line().trouble();
        auto const said = server_said_.empty() ? std::string()
                                               : " (it last said: " + server_said_ + "; "
                                                     + std::string(connection::what_to_do(server_said_)) + ")";
        return lock + " was not acquired: " + (why.empty() ? server + " did not answer in time" : why) + said;
    }
    case errc::not_owner:
    case errc::outcome_unknown:
    case errc::bad_config:
    case errc::bad_name:
    case errc::invalid_argument:
    case errc::forked:
    case errc::wrong_thread:
    case errc::not_replicated: break;
    }
    return lock + ": " + result_.message();
}

} // namespace redlatch::io
