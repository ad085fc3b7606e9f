// Which channels this client listens to, and how many messages each has seen.
//
// A waiter samples the count before every attempt. Whatever could have been a wake-up counts: a message, and every
// confirmation of a subscription, also after a reconnect; so "the count has moved" is all that a waiter has to look at, and
// no wake-up falls between its attempt and its wait.
//
// | state       | event                          | action, next                                                          |
// |-------------|--------------------------------|-----------------------------------------------------------------------|
// | idle        | a waiter wants it              | SUBSCRIBE staged -> asked                                             |
// | asked       | confirmed                      | count + 1, all woken -> subscribed                                    |
// | asked       | refused (no right)             | count + 1, all woken -> refused: waiters poll                         |
// | asked       | refused for now (BUSY)         | the same -> idle: waiters poll, and each time ask for it again; only  |
// |             |                                | the first refusal wakes them                                          |
// | subscribed  | message                        | count + 1, all woken                                                  |
// | subscribed  | last waiter left, linger over  | UNSUBSCRIBE staged: from here on not subscribed -> idle               |
// |             | or too many linger             |                                                                       |
// | any         | connection lost                | -> idle; asked for again when there is a new one, if wanted           |
// | subscribed  | the channel's slot of a        | count + 1, all woken -> idle: whoever wants it goes to the new node   |
// |             | cluster goes to another node   |                                                                       |
// | asked       | it is on another node (MOVED)  | as refused, until the waiters know that node                          |
// | any         | the client knows of another    | count + 1, all woken: whoever wants it goes to that node              |
// |             | node for its slot              |                                                                       |
// | any         | calls go to another server, a  | count + 1, all woken: they have asked the former one                  |
// |             | replica that became the master |                                                                       |
// In a cluster with messages of shards the commands are SSUBSCRIBE and SUNSUBSCRIBE, and messages come as "smessage". One
// UNSUBSCRIBE names up to 100 channels: each waiter of a fair lock has one of its own.
// Confirmations come in the order of the requests, so they are matched in order, not by name. One count per channel, never
// begun again while anybody refers to it. The names `a` and `{a}` share a channel: a message counts for every lock on it.
#pragma once

#include "base/function_ref.hpp"
#include "connection/traffic.hpp"
#include "locking/wait_queue.hpp"

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace redlatch::locking {

/// Guarded by the mutex of the subscriber's lane.
struct channel {
    enum class state { idle, asked, subscribed, refused };

    std::string name;
    state now_in = state::idle;
    bool polled = false; ///< a subscription was refused, and none was confirmed since: waiters ask
    std::uint64_t count = 0;
    std::uint64_t messages = 0;
    std::uint64_t turns = 0;
    std::uint64_t absent = 0;
    bool turn_goes_on = false;
    std::uint64_t foreign = 0;
    std::uint64_t session = 0;
    bool elsewhere = false;         ///< its slot has another node, and no subscription was confirmed here since
    std::uint64_t own_expected = 0; ///< messages to come that are no news
    int references = 0;
    base::instant linger_until = base::never;
    std::list<std::shared_ptr<channel>>::iterator place{}; ///< while it lingers
    std::vector<base::waker> waiters{};
    std::string refusal{}; ///< of refused: what the server said

    /// By a server that executes nothing now.
    bool is_refused_for_now() const noexcept { return now_in == state::idle && polled; }
    channel_sample sample() const noexcept {
        return {count, now_in == state::subscribed, messages, turns, absent, turn_goes_on, foreign, session, elsewhere};
    }
};

using channel_ptr = std::shared_ptr<channel>;

class subscription_registry final : public connection::traffic {
public:
    /// To messages of the shard, or of the whole cluster. True: it did not, and the connection has to be made anew.
    bool listen_to_shards(bool sharded) noexcept { return std::exchange(sharded_, sharded) != sharded && up_; }

    /// A channel that nobody waits on stays subscribed this long: the next waiter finds it ready.
    static constexpr base::milliseconds linger{1'000};
    /// No more than this many linger.
    static constexpr std::size_t most_lingering = 1'000;
    /// Then so many are given up, with one command.
    static constexpr std::size_t given_up_together = 100;

    /// A waiter refers to its channel from its first sample until it leaves.
    channel_ptr attach(std::string const& name);
    void detach(channel_ptr const& channel, base::instant now);
    /// Stages SUBSCRIBE unless that is done or under way.
    void subscribe(channel_ptr const& channel);
    /// Where it is refused for now: stages SUBSCRIBE again, and says so.
    bool subscribe_again(channel_ptr const& channel);

    /// As attach() and detach() at once.
    channel_sample peek(std::string const& name) const;

    /// The next message is no news: those whom it would wake are told by whoever publishes it, who is of this process. False:
    /// nobody listens here, and the message will not come.
    bool expect_own(std::string const& name);
    /// That message does not come, or nobody may have been told.
    void expect_own_no_more(std::string const& name, base::wake_list& woken);

    /// In a cluster: the messages of channels whose slot is `gone` may come on another node. Whoever waits asks.
    void on_slots_moved(base::function_ref<bool(std::uint16_t)> gone, base::wake_list& woken);

    /// Whoever waits has asked another server than the one that is the master now, and the subscription may be older than that.
    void on_another_master(base::wake_list& woken);

    /// Gives up lingering subscriptions whose time has come.
    void on_timer(base::instant now);
    base::instant next() const noexcept;

    /// Channels subscribed to or being subscribed to.
    std::size_t active() const noexcept;
    std::uint64_t commands() const noexcept { return commands_; }

    /// Of the waiters of all channels, those whose wake-up depends on somebody else's reading.
    int sleepers = 0;

    void on_up(connection::identity const& self, base::instant now, base::wake_list& woken) override;
    void on_down(base::instant now, base::wake_list& woken) noexcept override;
    bool on_value(resp::value&& incoming, base::instant now, base::wake_list& woken) override;
    void on_closed(base::wake_list& woken) override;
    bool expects_reply() const noexcept override { return !due_.empty(); }
    bool listens() const noexcept override { return !channels_.empty(); }
    bool has_sleepers() const noexcept override { return sleepers > 0; }
    std::size_t due() const noexcept override { return due_.size(); }
    void stage_ping(base::instant now) override;

private:
    enum class request { subscribe, unsubscribe, ping };
    struct due_answer {
        request what;
        channel_ptr channel;
        std::size_t behind = 0; ///< so many answers to the same command come after it, unless it is an error
    };
    static void moved(channel& channel, base::wake_list& woken);
    void stage(std::string const& bytes, due_answer answer);
    void stage(std::string const& bytes, std::span<due_answer const> answers);
    static void heard(channel& channel, std::string_view message, base::wake_list& woken);
    void ask(channel_ptr const& channel);
    void stay(channel& channel) noexcept;
    /// With one command: of shards it names the channels of one slot only.
    std::size_t most_together() const noexcept { return sharded_ ? 1 : given_up_together; }
    void give_up_oldest(std::size_t count);
    due_answer next_answer();
    bool on_confirmation(request order, base::wake_list& woken);

    void on_slot_moved(std::string const& name, base::wake_list& woken);
    bool is_about_another_slot(resp::value const& error) const;

    bool sharded_ = false;
    bool up_ = false;
    std::unordered_map<std::string, channel_ptr> channels_;
    std::list<channel_ptr> lingering_; ///< in the order of linger_until
    std::deque<due_answer> due_;
    std::uint64_t commands_ = 0;
    std::uint64_t last_session_ = 0;
};

} // namespace redlatch::locking
