// How an acquisition ended, for a reader.
#include "connection/server_error.hpp"
#include "io/acquisition.hpp"
#include "locking/names.hpp"

#include <string>
#include <vector>

namespace redlatch::io {

namespace {

/// Which of its keys it is, a script does not say.
std::string wrong_type_text(locking::lock_record const& record, bool fencing, std::string const& server) {
    auto const& how = *record.how;
    auto beside = how.further_keys != nullptr ? how.further_keys(record.name) : std::vector<std::string>();
    if (fencing) beside.push_back(locking::token_counter(record.name));
    auto text = "the key " + locking::shown(record.name) + " on " + server + " is not a lock";
    if (beside.empty()) return text + " (another type of value has this name); choose another name";
    text += ", or what belongs to it is of another type than for a lock of the kind '" + std::string(how.kind) + "':";
    for (auto const& key : beside) text += (&key == &beside.front() ? " " : ", ") + locking::shown(key);
    return text + "; delete it, or choose another name";
}

} // namespace

std::string acquisition::message() const {
    auto const lock = "lock " + locking::shown(request_.record->name);
    auto const server = "the server " + node_->address();
    bool const fencing = request_.fencing || request_.record->how->always_fencing;
    auto const token_counter = [&] {
        return "the key " + locking::shown(locking::token_counter(request_.record->name)) + " on " + server
               + ", which counts the tokens of " + lock + ",";
    };
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
    case errc::wrong_type: return wrong_type_text(*request_.record, fencing, server);
    case errc::server_refused:
        if (fencing && server_said_.find("value is not an integer") != std::string::npos)
            return token_counter() + " is not a number; delete it, or choose another name";
        if (fencing && server_said_.find("would overflow") != std::string::npos)
            return token_counter()
                   + " has the greatest number that there is; choose another name, or delete the key and let the "
                     "resource forget the tokens that it has seen";
        return server + " refused to acquire " + lock + ": " + server_said_ + "; "
               + std::string(connection::what_to_do(server_said_));
    case errc::bad_reply:
        return server + " sent an unexpected reply to the acquisition of " + lock
               + (fencing ? "; " + token_counter() + " has to be a positive number" : "");
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
