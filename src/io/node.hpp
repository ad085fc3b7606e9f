// One server of a client: its connections, three and those for questions about replicas; which commands it takes, and whether
// it executes writes.
#pragma once

#include "base/time.hpp"
#include "connection/call.hpp"
#include "connection/server_error.hpp"
#include "io/call_lane.hpp"
#include "io/command_choice.hpp"
#include "io/endpoint.hpp"
#include "io/locator.hpp"
#include "io/replica_lanes.hpp"
#include "io/spare_rights.hpp"
#include "io/subscriber.hpp"
#include "io/write_gate.hpp"

#include <redlatch/config.hpp>
#include <redlatch/error.hpp>
#include <redlatch/event.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace redlatch::io {

/// Thread-safe.
class node {
public:
    /// What the owner wants to hear, on the reactor or on a thread that calls a function of this class.
    struct hooks {
        /// A connection was made again; `another`: it leads to another server than before, which is the new master.
        std::function<void(std::string const& address, char const* role, bool another)> reconnected;
        std::function<void(std::string const& reason)> disconnected;
        std::function<void(event const&)> tell;
        /// Something that may come before there can be a listener.
        std::function<void(event const&)> tell_when_heard;
        /// In a cluster: it does not serve the slot, or not now.
        std::function<void()> misplaced{};
        /// In a cluster: a connection could not be made.
        std::function<void()> unreachable{};
    };
    enum class arrangement { single, cluster };

    /// `connection_name`: what the connections for commands are called on the server. `places`: finds the server, of whose
    /// endpoint all but host and port is given then; null: it is at the endpoint.
    node(std::shared_ptr<reactor> const& loop, config const& settings, endpoint endpoint,
         std::string const& connection_name, hooks to_tell, std::shared_ptr<master_locator> places = nullptr,
         arrangement among = arrangement::single);
    node(node const&) = delete;
    node& operator=(node const&) = delete;

    /// For messages.
    std::string address() const { return data_.line().display(); }

    /// Connects data() on the calling thread: see lane.
    bool connect_now(base::instant& until, errc& reason, std::string& problem) {
        return data_.line().connect_now(until, reason, problem);
    }
    /// From now on it notices by itself where the server is another one.
    void watch(std::shared_ptr<reactor> const& loop);
    void close();

    // In a cluster.
    /// The node that a redirect of this one names.
    void send_elsewhere(std::function<node&(connection::redirect const&)> const& find);
    /// It has no slots, and no connection is needed; what is sent to it nevertheless goes elsewhere. False: it may be needed.
    void retire(bool retired);
    /// What waits for its connection, and is about a slot that is `gone`, goes elsewhere.
    void send_away(base::function_ref<bool(std::uint16_t)> gone);
    bool is_connected() const { return data_.is_up(); }
    /// A connection was lost, or could not be made, and there is no new one yet.
    bool is_in_trouble() const { return !data_.line().trouble().empty() || !control_.line().trouble().empty(); }

    /// Locks are taken and released there.
    call_lane& data() noexcept { return data_; }
    /// They are renewed there: it notices silence while there is time to renew.
    call_lane& control() noexcept { return control_; }
    /// Where renewals go: the data connection where another one cannot be made, for want of credentials or of room at the
    /// server, and that one is there.
    call_lane& renewing() { return control_.line().cannot_connect() && data_.is_up() ? data_ : control_; }
    subscriber& messages() noexcept { return messages_; }
    /// What a command was answered without which all goes on, if less well: the log is told if this user may not run it, once.
    void note_spare(std::string_view command, resp::value const& answer) {
        if (connection::is_missing_right(answer) && connection::reach_of(answer) == connection::reach::command)
            spare_.refused(address(), command, answer.text);
    }
    /// It has refused messages of this channel: waiters have to ask again and again. For want of a right the log is told, once.
    bool hears_nothing_of(locking::channel const& channel);
    /// What nobody holds any more cannot be removed there: the log is told, once.
    void warn_of_remains(locking::lock_record const& lock, connection::call const& refused);
    /// True once: that its replicas cannot be asked is to be told.
    bool warns_of_missing_wait() noexcept { return !warned_of_missing_wait_.exchange(true); }
    /// How many of its replicas have a lock that it has given; see replica_lane.
    void ask_replicas(replica_question_ptr const& question) { replicas_.ask(question); }

    command_choice& choice() noexcept { return choice_; }

    /// A write on the data connection was not executed: when to try again. `now`: it was refused for another reason.
    /// `waiting`, if any, is told, and `sleeper` woken, when the server executes writes again.
    base::instant on_write_refused(connection::call const& answered, base::instant now,
                                   write_gate::waiter* waiting = nullptr, base::waker const& sleeper = {});
    /// It does not serve the slot of what was to be renewed.
    void on_renewal_refused(resp::value const& error) {
        if (hooks_.misplaced && connection::is_about_the_cluster(error)) hooks_.misplaced();
    }
    /// The server executed one; `grows`: one that needs memory.
    void on_written(base::instant sent_at, bool grows) {
        if (gate_.on_written(sent_at, grows)) on_recovered();
    }
    /// It executed what changes nothing.
    void on_executed(base::instant sent_at) {
        if (gate_.on_executed(sent_at)) on_recovered();
    }
    /// When a write may be sent; not later than `now`: at once.
    base::instant next_write(base::instant now, write_gate::waiter& waiting, base::waker const& sleeper) {
        return gate_.next_write(now, waiting, sleeper);
    }
    /// The same, of who waits for that moment, whatever happens.
    base::instant next_write(base::instant now) { return gate_.next_write(now); }
    /// Since when no write is executed; never: they are.
    base::instant refuses_since() { return gate_.refuses_since(); }
    std::string last_refusal() { return gate_.last_refusal(); }
    base::instant last_refused_at() const noexcept { return gate_.last_refused_at(); }
    /// Since when a wait for it is in vain: it is silent, or executes no writes.
    base::instant away_since() { return std::min(data_.line().unheard_since(), refuses_since()); }
    /// The same, but one that was never asked is not away.
    base::instant known_away_since() { return std::min(data_.line().silent_since(), refuses_since()); }
    /// It has answered, or owes nothing. A new connection is no answer: the server may greet and execute nothing.
    bool is_there(base::instant now);
    /// A server that owes an answer for longer is not known to be there.
    static constexpr base::milliseconds longest_answer{50};
    /// There has been no connection for `longest_answer`: what it said before may no longer be so.
    bool is_away(base::instant now);

    /// See master_locator.
    std::optional<sentinel_facts> sentinels() const { return places_ ? places_->sentinels() : std::nullopt; }

    std::uint64_t commands_sent() const {
        return data_.commands() + control_.commands() + messages_.commands() + replicas_.commands();
    }
    std::size_t subscriptions() const { return messages_.active(); }

private:
    node(std::shared_ptr<reactor> const& loop, config const& settings, lane::settings const& common, hooks to_tell,
         std::shared_ptr<master_locator> places);
    class whereabouts;
    /// `line`: whose hooks they are, known only once the node is there.
    lane::hooks lane_hooks(char const* role, lane& (*line)(node&));
    lane::hooks data_hooks();
    void on_recovered() noexcept;
    void warn_of_eviction(std::string const& policy);

    std::shared_ptr<master_locator> const places_;
    hooks const hooks_;
    command_choice choice_;
    write_gate gate_;
    spare_rights spare_;
    std::atomic<bool> warned_of_eviction_{false};
    std::atomic<bool> warned_of_silence_{false};
    std::atomic<bool> warned_of_missing_wait_{false};
    std::atomic<bool> warned_of_remains_{false};
    call_lane data_;
    call_lane control_;
    subscriber messages_;
    replica_lanes replicas_;
};

} // namespace redlatch::io
