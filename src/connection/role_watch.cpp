#include "connection/role_watch.hpp"

#include "resp/command.hpp"

namespace redlatch::connection {

void role_watch::stage_ping(base::instant) {
    if (due_) return;
    out.stage(resp::command("ROLE"));
    due_ = true;
}

void role_watch::on_up(identity const&, base::instant now, base::wake_list&) {
    due_ = false;
    stage_ping(now);
}

void role_watch::on_down(base::instant, base::wake_list& woken) noexcept {
    out.reset();
    due_ = false;
    news_ = server_role::unknown;
    woken.add(told_);
}

void role_watch::on_closed(base::wake_list&) {
    out.reset();
    due_ = false;
    told_.reset();
}

bool role_watch::on_value(resp::value&& incoming, base::instant, base::wake_list& woken) {
    if (!due_) return false;
    due_ = false;
    news_ = read_role(incoming);
    woken.add(told_);
    return true;
}

} // namespace redlatch::connection
