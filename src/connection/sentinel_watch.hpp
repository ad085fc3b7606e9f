// The conversation on a connection to a Sentinel that is there to hear of failovers.
//
//     SENTINEL … (three questions), SUBSCRIBE +switch-master          on a new connection
//     UNSUBSCRIBE, and the same again                                 after a message about our master, and as a probe
// A connection with a subscription takes no other commands, so it ends the subscription for the questions. What is published
// in between is in the answer.
#pragma once

#include "connection/sentinel_replies.hpp"
#include "connection/traffic.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redlatch::connection {

class sentinel_watch final : public traffic {
public:
    enum class use {
        listen,
        ask, ///< the questions alone
    };

    sentinel_watch(std::string master_name, base::waker told, use what_for = use::listen);

    /// The last answer, if it has not been taken.
    std::optional<sentinel_answer> take_news();

    void on_up(identity const& self, base::instant now, base::wake_list& woken) override;
    void on_down(base::instant now, base::wake_list& woken) noexcept override;
    bool on_value(resp::value&& incoming, base::instant now, base::wake_list& woken) override;
    void on_closed(base::wake_list& woken) override;
    bool expects_reply() const noexcept override { return due_ > 0; }
    bool listens() const noexcept override { return true; }
    bool has_sleepers() const noexcept override { return true; } // nobody reads but the reactor
    std::size_t due() const noexcept override { return due_; }
    void stage_ping(base::instant now) override;

private:
    void ask();

    std::string const master_name_;
    base::waker told_;
    use const what_for_;
    bool subscribed_ = false;
    bool ask_again_ = false; ///< a message came while answers were due
    std::size_t due_ = 0;    ///< answers to come
    std::vector<resp::value> replies_{};
    std::optional<sentinel_answer> news_{};
};

} // namespace redlatch::connection
