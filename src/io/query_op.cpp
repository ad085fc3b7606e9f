#include "io/query_op.hpp"

#include "connection/server_error.hpp"
#include "locking/refused_command.hpp"

#include <utility>

namespace redlatch::io {

query_op::query_op(std::shared_ptr<client_core> core, node& server, std::string subject)
    : core_(std::move(core)), server_(&server), about_(std::move(subject)),
      deadline_(base::later(lease_clock::now(), core_->settings().timeout)) {}

bool query_op::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = send(); break;
        case stage::calling: go_on = on_called(); break;
        case stage::pausing:
            if (cancelled()) return finish(errc::cancelled);
            if (core_->closed()) return finish(errc::closed); // ready() says so: it must not be asked again and again
            go_on = lease_clock::now() >= at().until && send();
            break;
        case stage::finished: break;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool query_op::ready() const {
    if (cancelled() || core_->closed()) return true;
    return stage_ == stage::calling && answered();
}

bool query_op::send() {
    stage_ = stage::calling;
    return call();
}

bool query_op::finish_unanswered() {
    return finish(core_->closed() ? errc::closed : cancelled() ? errc::cancelled : errc::disconnected);
}

bool query_op::ask_again(base::instant now, base::milliseconds pause) {
    auto const again = base::later(now, pause);
    if (again >= deadline_) return finish(errc::disconnected);
    stage_ = stage::pausing;
    return suspend(nullptr, again);
}

bool query_op::finish(std::error_code code) {
    stage_ = stage::finished;
    result_ = code;
    return true;
}

std::string query_message(node& node, std::string const& subject, std::error_code code, resp::value const& reply,
                          std::string_view kind, std::string_view call) {
    auto const server = "the server " + node.address();
    if (code == errc::closed) return "the client was closed; " + subject + " was not done";
    if (code == errc::cancelled) return subject + " was cancelled";
    if (code == errc::wrong_type)
        return subject + " cannot be done: the key on " + server + " is not a " + std::string(kind)
               + " (another type of value has this name)";
    if (code == errc::disconnected) {
        auto const why = node.data().line().trouble();
        auto const said =
            reply.is_error() ? " (it said: " + reply.text + "; " + std::string(connection::what_to_do(reply.text)) + ")"
                             : std::string();
        char const* const problem = reply.is_error() ? " does not execute it now" : " did not answer in time";
        return subject + " was not done: " + (why.empty() ? server + problem : why) + said;
    }
    return server + " refused " + subject + ": " + locking::naming_right(reply.text, call) + "; "
           + std::string(connection::what_to_do(reply.text));
}

} // namespace redlatch::io
