#include "connection/sentinel_watch.hpp"

#include "resp/command.hpp"

#include <utility>

namespace redlatch::connection {
namespace {

/// A message on a channel, and not the reply to a command.
bool is_message(resp::value const& incoming) {
    return incoming.items.size() == 3 && incoming.items.front().text == "message";
}

} // namespace

sentinel_watch::sentinel_watch(std::string master_name, base::waker told, use what_for)
    : master_name_(std::move(master_name)), told_(std::move(told)), what_for_(what_for) {}

std::optional<sentinel_answer> sentinel_watch::take_news() {
    return std::exchange(news_, std::nullopt);
}

/// With nothing due.
void sentinel_watch::ask() {
    std::string bytes;
    if (subscribed_) resp::append_command(bytes, {"UNSUBSCRIBE", switch_channel});
    bytes += sentinel_questions(master_name_);
    bool const listens = what_for_ == use::listen;
    if (listens) resp::append_command(bytes, {"SUBSCRIBE", switch_channel});
    out.make_room(bytes.size());
    replies_.clear();
    replies_.reserve(sentinel_replies);
    out.stage(bytes);
    due_ = sentinel_replies + (subscribed_ ? 1 : 0) + (listens ? 1 : 0);
}

void sentinel_watch::on_up(identity const&, base::instant, base::wake_list&) {
    subscribed_ = ask_again_ = false;
    ask();
}

void sentinel_watch::on_down(base::instant, base::wake_list&) noexcept {
    out.reset();
    due_ = 0;
}

void sentinel_watch::on_closed(base::wake_list&) {
    out.reset();
    due_ = 0;
    told_.reset();
}

void sentinel_watch::stage_ping(base::instant) {
    if (due_ == 0) ask();
}

bool sentinel_watch::on_value(resp::value&& incoming, base::instant, base::wake_list& woken) {
    if (is_message(incoming)) {
        if (!is_about(incoming.items.back().text, master_name_)) return true;
        if (due_ > 0)
            ask_again_ = true;
        else
            ask();
        return true;
    }
    if (due_ == 0) return false;
    --due_;
    if (due_ > sentinel_replies) return true; // of UNSUBSCRIBE
    if (replies_.size() < sentinel_replies) {
        replies_.push_back(std::move(incoming));
        if (due_ > 0) return true;
    } else {
        subscribed_ = !incoming.is_error(); // where it is refused, the probes have to do
    }
    news_ = read_sentinel_answer(replies_);
    woken.add(told_);
    if (std::exchange(ask_again_, false)) ask();
    return true;
}

} // namespace redlatch::connection
