#include "io/counter_change.hpp"

#include "connection/server_error.hpp"
#include "io/insist.hpp"
#include "locking/names.hpp"
#include "locking/refused_command.hpp"

#include <optional>
#include <utility>

namespace redlatch::io {

counter_change::counter_change(std::shared_ptr<client_core> core, request order)
    : query_op(std::move(core), order.call.key(), order.subject, order.deadline), order_(std::move(order)) {
    if (!order_.repeatable) call_.be_sent_once();
}

counter_change::~counter_change() {
    if (is_cut_short()) insist([this] { call_.abandon(); });
}

bool counter_change::call() {
    call_.begin(server().data(), order_.call, waker(), blocking());
    return wait_for_answer();
}

bool counter_change::give_up() {
    if (call_.abandon() && order_.changes) note_possible_copy();
    return finish_unanswered();
}

bool counter_change::on_called() {
    auto const now = lease_clock::now();
    if (!answered()) return waits_no_longer(now) ? give_up() : wait_for_answer();
    auto const said = call_.take([this] { return waker(); });
    if (!said) return suspend(at().where, at().until);
    if (said->status == connection::call::state::closed) {
        if (said->handed > 0 && order_.changes) note_possible_copy();
        if (said->handed > 0 || waits_no_longer(now)) return finish_unanswered();
        return call(); // it had waited for a connection, and there is one
    }
    reply_ = said->reply;
    if (!reply_.is_error()) return finish({});
    if (call_.repeated() && order_.changes)
        note_possible_copy(); // its answer was lost, and this one says nothing of it
    switch (connection::judge(reply_)) {
    case connection::verdict::read_only: server().data().reconnect(*said, "is a replica now"); [[fallthrough]];
    case connection::verdict::not_executed: return ask_again(now);
    case connection::verdict::no_script:
    case connection::verdict::wrong_type:
    case connection::verdict::refused: break;
    }
    return finish(connection::to_errc(connection::judge(reply_)));
}

std::string counter_change::message() const {
    if (result() == errc::wrong_type)
        return about() + " cannot be done: the key on the server " + server().address() + " is not a "
               + std::string(order_.kind) + " (another type of value has this name); choose another name";
    if (result() == errc::outcome_unknown)
        return "it is not known whether " + about() + " was done: the connection to the server " + server().address()
               + " broke, or no answer came in time; look at the " + std::string(order_.kind)
               + ", or make it with exactly_once, by which requests are repeated safely";
    return query_message(server(), about(), result(), reply_);
}

// --- in the background

namespace {

class detached_change final : public async_task {
public:
    detached_change(std::shared_ptr<client_core> core, counter_change::request order)
        : async_task(core->loop()), core_(std::move(core)), what_(std::in_place, core_, std::move(order)) {}

private:
    operation& what() noexcept override { return *what_; }
    void finished() noexcept override {
        auto const core = std::move(core_);
        core->forget(*this);
        bool const failed = static_cast<bool>(what_->result()) && !core->closed();
        if (failed) insist([&] { core->tell({.what = event::kind::release_failed, .message = what_->message()}); });
        what_.reset(); // its call's waker holds this object
    }
    void disowned() noexcept override {}

    std::shared_ptr<client_core> core_;
    std::optional<counter_change> what_;
};

} // namespace

void give_back_detached(std::shared_ptr<client_core> const& core, locking::counter const& what, locking::wire_call call,
                        bool repeatable) {
    auto const text = locking::by_text(*call.text_of, call.bytes);
    auto const replies = call.replies;
    auto const task = std::make_shared<detached_change>(
        core, counter_change::request{.call = std::move(call),
                                      .repeatable = repeatable,
                                      .subject = "giving back permits of " + std::string(what.how->kind) + " "
                                                 + locking::shown(what.name) + " that nobody waits for any more",
                                      .kind = what.how->kind,
                                      .deadline = base::never});
    if (core->run(task, {})) return;
    auto const last = connection::make_call(); // the client closes: sent, and not waited for
    last->bytes = text;
    last->replies = replies;
    core->node_of(what.name).data().submit(last, false);
}

} // namespace redlatch::io
