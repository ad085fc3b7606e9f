// A lane between a client and a server of locks: order within one connection and within none else. What was on its way when a
// connection broke is repeated, and unless the predecessor kill held, an earlier copy of it may run within the next minute.
#pragma once

#include "check.hpp"
#include "decisions.hpp"
#include "lock_server.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace redlatch::fuzz {

struct lock_request {
    std::vector<lock_command> commands; ///< one, or a batch
    base::instant sent_at{};
    std::function<void(lock_request const&)> then{};
    std::function<void(lock_request const&)> late{}; ///< of an abandoned one
    bool abandoned = false;
    bool repeated = false;
    bool late_copy_possible = false;
    bool executed = false;
    std::vector<std::int64_t> answers{};

    std::int64_t answer() const { return answers.front(); }
};

using request_ptr = std::shared_ptr<lock_request>;

class lock_lane {
public:
    explicit lock_lane(lock_server& server) : server_(server) {}

    void send(request_ptr const& what, base::instant now) {
        what->sent_at = now;
        what->late_copy_possible = in_doubt_;
        on_their_way_.push_back(what);
    }
    bool idle() const { return on_their_way_.empty(); }

    /// The server runs the next request.
    void serve(base::instant now) {
        for (auto const& one : on_their_way_)
            if (!one->executed) return execute(*one, now);
    }
    /// The next answer comes.
    void deliver() {
        if (on_their_way_.empty() || !on_their_way_.front()->executed) return;
        auto const one = on_their_way_.front();
        on_their_way_.pop_front();
        if (!one->abandoned)
            one->then(*one);
        else if (one->late)
            one->late(*one);
    }

    void lose(base::instant now, bool kill_succeeds, decisions& from) {
        in_doubt_ =
            !kill_succeeds && !on_their_way_.empty(); // all that this connection answers: something may come behind it
        if (kill_succeeds) {
            for (auto left = from.below(on_their_way_.size() + 1); left > 0; --left) serve(now);
        } else {
            former left{now, {}};
            for (auto const& one : on_their_way_)
                if (!one->executed) left.copies.insert(left.copies.end(), one->commands.begin(), one->commands.end());
            former_.push_back(std::move(left));
        }
        std::erase_if(on_their_way_, [](request_ptr const& one) { return one->abandoned; });
        for (auto const& one : on_their_way_) {
            one->repeated = true;
            one->executed = false;
            one->answers.clear();
            one->sent_at = now;
            if (in_doubt_) one->late_copy_possible = true;
        }
    }

    /// Bytes of a connection that is lost arrive after all.
    void arrive_late(base::instant now, decisions& from) {
        std::erase_if(former_, [&](former const& one) {
            return one.copies.empty() || one.lost_at + std::chrono::minutes(1) <= now;
        });
        if (former_.empty()) return;
        auto& one = former_[from.below(former_.size())];
        server_.run(one.copies.front(), now);
        one.copies.pop_front();
    }

private:
    struct former {
        base::instant lost_at;
        std::deque<lock_command> copies;
    };

    void execute(lock_request& what, base::instant now) {
        what.executed = true;
        for (auto const& one : what.commands) what.answers.push_back(server_.run(one, now));
    }

    lock_server& server_;
    std::deque<request_ptr> on_their_way_;
    std::vector<former> former_;
    bool in_doubt_ = false; ///< the predecessor kill of the present connection was refused
};

} // namespace redlatch::fuzz
