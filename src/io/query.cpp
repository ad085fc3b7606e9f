#include "io/query.hpp"

#include "connection/server_error.hpp"

#include <utility>

namespace redlatch::io {

query::query(std::shared_ptr<client_core> core, question what, std::string about)
    : core_(std::move(core)), what_(std::move(what)), about_(std::move(about)),
      deadline_(base::later(lease_clock::now(), core_->settings().timeout)) {}

bool query::step() {
    for (;;) {
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = call(); break;
        case stage::calling: go_on = on_called(); break;
        case stage::pausing:
            if (cancelled()) return finish(errc::cancelled);
            go_on = lease_clock::now() >= at().until && call();
            break;
        case stage::finished: break;
        }
        if (stage_ == stage::finished) return true;
        if (!go_on) return false;
    }
}

bool query::ready() const {
    if (cancelled() || core_->closed()) return true;
    return stage_ == stage::calling && (plain_ ? plain_->finished() : script_.finished());
}

bool query::call() {
    stage_ = stage::calling;
    if (auto const* script = std::get_if<locking::script_call>(&what_)) {
        script_.begin(core_->data(), *script, waker(), blocking());
    } else {
        plain_ = connection::make_call();
        plain_->bytes = std::get<std::string>(what_);
        plain_->waker = waker();
        core_->data().submit(plain_, blocking());
    }
    return suspend(&core_->data().line(), deadline_);
}

bool query::on_called() {
    auto const now = lease_clock::now();
    bool const finished = plain_ ? plain_->finished() : script_.finished();
    if (!finished) {
        if (now < deadline_ && !core_->closed() && !cancelled()) return suspend(at().where, deadline_);
        if (plain_)
            core_->data().abandon(plain_);
        else
            script_.abandon();
        return finish(core_->closed() ? errc::closed : cancelled() ? errc::cancelled : errc::disconnected);
    }
    auto const answered = plain_ ? std::exchange(plain_, nullptr) : script_.take();
    if (!answered) return suspend(at().where, at().until);
    if (answered->status == connection::call::state::closed) return finish(errc::closed);
    repeated_ = answered->repeated();
    reply_ = answered->reply;
    if (!reply_.is_error()) return finish({});
    switch (connection::judge(reply_)) {
    case connection::verdict::read_only: core_->data().line().reconnect("is a replica now"); [[fallthrough]];
    case connection::verdict::not_executed: {
        auto const again = base::later(now, base::milliseconds(100));
        if (again >= deadline_) return finish(errc::disconnected);
        stage_ = stage::pausing;
        return suspend(nullptr, again);
    }
    case connection::verdict::no_script:
    case connection::verdict::wrong_type:
    case connection::verdict::refused: break;
    }
    return finish(connection::to_errc(connection::judge(reply_)));
}

bool query::finish(std::error_code how) {
    stage_ = stage::finished;
    result_ = how;
    return true;
}

std::string query::sentence() const {
    auto const server = "the server " + core_->server();
    if (result_ == errc::closed) return "the client was closed; " + about_ + " was not done";
    if (result_ == errc::cancelled) return about_ + " was cancelled";
    if (result_ == errc::wrong_type)
        return about_ + " cannot be done: the key on " + server
               + " is not a lock (another type of value has this name)";
    if (result_ == errc::disconnected) {
        auto const why = core_->data().line().trouble();
        auto const said = reply_.is_error() ? " (it said: " + reply_.text + ")" : std::string();
        return about_ + " was not done: " + (why.empty() ? server + " did not answer in time" : why) + said;
    }
    return server + " refused " + about_ + ": " + reply_.text + "; check the rights of this user";
}

} // namespace redlatch::io
