#include "io/query_batch.hpp"

#include "connection/redirect.hpp"
#include "connection/server_error.hpp"
#include "io/insist.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace redlatch::io {
namespace {

/// A node takes a command about a slot that it is about to get behind this one only.
std::vector<connection::call_ptr> each_behind_asking(std::vector<connection::call_ptr> const& calls,
                                                     std::vector<connection::call_ptr>& permissions) {
    std::vector<connection::call_ptr> all;
    for (auto const& one : calls) {
        permissions.push_back(connection::make_call());
        permissions.back()->bytes = resp::command("ASKING");
        all.push_back(permissions.back());
        all.push_back(one);
    }
    return all;
}

bool is_closed(connection::call_ptr const& one) {
    return one->status == connection::call::state::closed;
}

} // namespace

query_batch::query_batch(std::shared_ptr<client_core> const& core, node* server, std::vector<std::string> commands,
                         std::string subject)
    : query_op(core, *server, std::move(subject)), commands_(std::move(commands)), asked_(commands_.size()),
      replies_(commands_.size()) {
    std::iota(asked_.begin(), asked_.end(), std::size_t{0});
}

query_batch::~query_batch() {
    if (is_cut_short()) insist([this] { abandon(); });
}

/// Whoever asked does not wait any more.
void query_batch::abandon() {
    while (!calls_.empty()) {
        server().data().abandon(calls_.back());
        calls_.pop_back();
    }
}

bool query_batch::answered() const {
    while (answered_ < calls_.size() && calls_[answered_]->finished()) ++answered_;
    return answered_ == calls_.size() || is_closed(calls_.back());
}

bool query_batch::call() {
    answered_ = 0;
    calls_.clear();
    permissions_.clear();
    calls_.reserve(asked_.size());
    for (auto const index : asked_) {
        auto one = connection::make_call();
        one->bytes = commands_[index];
        one->impatient = core().settings().fail_fast;
        calls_.push_back(std::move(one));
    }
    if (calls_.empty()) return finish({});
    calls_.back()->waker = waker(); // answers come in order: it is the last one
    server().data().submit_all(asking_ ? each_behind_asking(calls_, permissions_) : calls_, blocking());
    return wait_for_answer(server().data().line());
}

bool query_batch::on_called() {
    bool const closed = std::any_of(calls_.begin(), calls_.end(), is_closed);
    bool const all = std::all_of(calls_.begin(), calls_.end(), [](auto const& one) { return one->finished(); });
    if (all && !closed) return on_answers();
    if (!closed && !waits_no_longer(lease_clock::now())) return wait_for_answer(server().data().line());
    abandon();
    return finish_unanswered();
}

/// The key is on another node, which is asked from now on.
bool query_batch::is_elsewhere(resp::value const& answer) {
    auto* const cluster = core().servers().of_cluster();
    auto const elsewhere = cluster != nullptr ? connection::read_redirect(answer) : std::nullopt;
    if (!elsewhere) return false;
    ask_at(cluster->named(*elsewhere));
    asking_ = elsewhere->what == connection::redirect::kind::ask;
    return true;
}

bool query_batch::on_answers() {
    std::vector<std::size_t> again;
    bool elsewhere = false;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        auto& answer = calls_[i]->reply;
        if (i < permissions_.size() && connection::is_missing_right(permissions_[i]->reply)
            && connection::read_redirect(answer))
            answer = permissions_[i]->reply; // it would be sent to and fro
        auto const what = answer.is_error() ? connection::judge(answer) : connection::verdict::refused;
        if (what == connection::verdict::read_only) server().data().reconnect(*calls_[i], "is a replica now");
        bool const moved = what == connection::verdict::refused && answer.is_error() && is_elsewhere(answer);
        elsewhere = elsewhere || moved;
        if (moved || what == connection::verdict::not_executed || what == connection::verdict::read_only) {
            refusal_ = answer;
            again.push_back(asked_[i]);
        } else {
            replies_[asked_[i]] = std::move(answer);
        }
    }
    calls_.clear();
    if (again.empty()) return finish({});
    asked_ = std::move(again);
    return ask_again(lease_clock::now(), elsewhere ? redirected : refused);
}

} // namespace redlatch::io
