#include "io/query.hpp"

#include "connection/server_error.hpp"
#include "io/insist.hpp"

#include <utility>

namespace redlatch::io {

query::query(std::shared_ptr<client_core> const& core, locking::wire_call call, std::string subject,
             std::string_view kind)
    : query_op(core, core->node_of(call.key()), std::move(subject)), asked_(std::move(call)), kind_(kind) {
    if (core->settings().fail_fast) call_.be_impatient();
}

query::~query() {
    if (is_cut_short()) insist([this] { call_.abandon(); });
}

bool query::call() {
    ask_at(core().node_of(asked_.key())); // in a cluster it may be another one than before a pause
    call_.begin(server().data(), asked_, waker(), blocking());
    return wait_for_answer(call_.line());
}

bool query::on_called() {
    auto const now = lease_clock::now();
    if (!answered()) {
        if (!waits_no_longer(now)) return wait_for_answer(call_.line());
        call_.abandon();
        return finish_unanswered();
    }
    auto const said = call_.take([this] { return waker(); });
    if (!said) return suspend(&call_.line(), at().until);
    if (said->status == connection::call::state::closed) return finish_unanswered();
    repeated_ = said->repeated();
    reply_ = said->reply;
    if (!reply_.is_error()) return finish({});
    switch (connection::judge(reply_)) {
    case connection::verdict::read_only: server().data().reconnect(*said, "is a replica now"); [[fallthrough]];
    case connection::verdict::not_executed: return ask_again(now);
    case connection::verdict::no_script:
    case connection::verdict::wrong_type:
    case connection::verdict::refused: break;
    }
    return finish(connection::to_errc(connection::judge(reply_)));
}

} // namespace redlatch::io
