// Do messages arrive? Subscribes to a channel of a lock that nobody uses, publishes to it and waits for what comes.
//
// | stage       | event                                      | next                                                          |
// |-------------|--------------------------------------------|---------------------------------------------------------------|
// | beginning   |                                            | listens to the channel -> subscribing                         |
// | subscribing | the subscription is confirmed              | publishes -> publishing                                       |
// | subscribing | it is refused, or not answered in time     | finished: no message arrives, for this reason                 |
// | publishing  | answered: how many heard it                | waiting                                                       |
// | publishing  | refused, not answered in time              | finished: not known whether messages arrive, for this reason  |
// | waiting     | the message                                | finished: messages arrive, and how long this one took         |
// | waiting     | none in time                               | finished: no message arrives                                  |
// | any         | cancelled, the client is closed            | finished: not known                                           |
#pragma once

#include "io/client_core.hpp"
#include "io/query_batch.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace redlatch::detail {

class message_trial final : public io::operation {
public:
    /// `channel`: one that only this client knows. `server`: in a cluster the one that has it.
    message_trial(std::shared_ptr<io::client_core> core, io::node& server, std::string channel);
    ~message_trial() override;

    bool step() override;
    bool ready() const override;

    std::optional<bool> arrived() const noexcept { return arrived_; }
    std::optional<std::chrono::microseconds> time() const noexcept { return time_; }
    /// What is wrong, and with which command; both empty: nothing.
    std::string const& command() const noexcept { return command_; }
    std::string const& problem() const noexcept { return problem_; }

private:
    enum class stage { beginning, subscribing, publishing, waiting, finished };
    bool begin();
    bool on_subscribed();
    bool on_published();
    bool on_waited();
    bool finish(std::optional<bool> arrived, std::string command = {}, std::string problem = {});
    bool is_over() const;
    bool wait() { return suspend(&server_->messages().line(), deadline_); }
    std::string_view publish_command() const;

    std::shared_ptr<io::client_core> const core_;
    io::node* const server_;
    std::string const name_;
    base::instant const deadline_;
    stage stage_ = stage::beginning;
    locking::channel_ptr channel_{};
    std::optional<io::query_batch> publishing_{};
    base::instant published_at_{};
    std::optional<bool> arrived_{};
    std::optional<std::chrono::microseconds> time_{};
    std::string command_{};
    std::string problem_{};
};

} // namespace redlatch::detail
