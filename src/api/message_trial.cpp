#include "api/message_trial.hpp"

#include "locking/recipe.hpp"
#include "resp/command.hpp"

#include <utility>

namespace redlatch::detail {

using state = locking::channel::state;

message_trial::message_trial(std::shared_ptr<io::client_core> core, io::node& server, std::string channel)
    : core_(std::move(core)), server_(&server), name_(std::move(channel)),
      deadline_(base::later(lease_clock::now(), core_->settings().timeout)) {}

message_trial::~message_trial() {
    if (channel_ && !core_->forked()) server_->messages().detach(channel_, waker(), !blocking());
}

bool message_trial::step() {
    for (;;) {
        if (stage_ == stage::finished) return true;
        if (cancelled() || core_->closed()) return finish(std::nullopt);
        bool go_on = false;
        switch (stage_) {
        case stage::beginning: go_on = begin(); break;
        case stage::subscribing: go_on = on_subscribed(); break;
        case stage::publishing: go_on = on_published(); break;
        case stage::waiting: go_on = on_waited(); break;
        case stage::finished: break;
        }
        if (!go_on) return false;
    }
}

/// With the mutex of the messages' lane, but while it is publishing.
bool message_trial::ready() const {
    if (cancelled() || core_->closed()) return true;
    switch (stage_) {
    case stage::subscribing: return channel_->now_in == state::subscribed || channel_->now_in == state::refused;
    case stage::publishing: return publishing_->ready();
    case stage::waiting: return channel_->messages > 0;
    case stage::beginning:
    case stage::finished: break;
    }
    return false;
}

bool message_trial::finish(std::optional<bool> arrived, std::string command, std::string problem) {
    stage_ = stage::finished;
    arrived_ = arrived;
    command_ = std::move(command);
    problem_ = std::move(problem);
    return true;
}

bool message_trial::is_over() const {
    return lease_clock::now() >= deadline_;
}

std::string_view message_trial::publish_command() const {
    return core_->publishing().command();
}

bool message_trial::begin() {
    channel_ = server_->messages().attach(name_);
    server_->messages().listen(channel_, waker(), true, blocking());
    stage_ = stage::subscribing;
    return wait();
}

bool message_trial::on_subscribed() {
    auto const command = "SUBSCRIBE " + name_;
    if (server_->hears_nothing_of(*channel_)) {
        std::string refusal;
        server_->messages().line().with([&] { refusal = channel_->refusal; });
        return finish(false, command, refusal);
    }
    if (!server_->messages().sample(*channel_).subscribed) {
        if (!is_over()) return wait();
        auto const trouble = server_->messages().line().trouble();
        return finish(false, command, trouble.empty() ? "it was not answered in time" : trouble);
    }
    publishing_.emplace(core_, server_, std::vector{resp::command(publish_command(), name_, "0")},
                        "trying whether messages arrive");
    drive(*publishing_);
    published_at_ = lease_clock::now();
    stage_ = stage::publishing;
    return true;
}

bool message_trial::on_published() {
    if (!publishing_->step()) return suspend(publishing_->at().where, publishing_->at().until);
    auto const command = std::string(publish_command()) + " " + name_;
    if (publishing_->result()) return finish(std::nullopt, command, publishing_->message());
    auto const& reply = publishing_->replies().front();
    if (!reply.is_integer())
        return finish(std::nullopt, command, reply.is_error() ? reply.text : "its answer is no number");
    stage_ = stage::waiting;
    return true;
}

bool message_trial::on_waited() {
    if (server_->messages().sample(*channel_).messages > 0) {
        time_ = std::chrono::duration_cast<std::chrono::microseconds>(lease_clock::now() - published_at_);
        return finish(true);
    }
    if (!is_over()) return wait();
    return finish(false, std::string(publish_command()) + " " + name_, "the message did not arrive in time");
}

} // namespace redlatch::detail
