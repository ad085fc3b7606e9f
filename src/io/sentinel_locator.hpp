// Asks Sentinels where the master of a name is, and hears from one of them when it is another one.
//
// Any Sentinel may know best, and none has to be there: they are asked in turn (question_round), beginning with the one that
// has answered last. What led to a server that is not there, or not the master, is not believed: its Sentinel is asked last.
#pragma once

#include "connection/connect_op.hpp"
#include "connection/master_record.hpp"
#include "connection/sentinel_list.hpp"
#include "connection/sentinel_replies.hpp"
#include "io/locator.hpp"
#include "io/login.hpp"
#include "io/question_round.hpp"
#include "io/server_set.hpp"
#include "io/tls/tls_hosts.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace redlatch::io {

class sentinel_watcher;

class sentinel_locator final : public master_locator, public std::enable_shared_from_this<sentinel_locator> {
public:
    /// `name`: of its connections to Sentinels. Throws as make_tls_client does, and std::system_error.
    sentinel_locator(config const& settings, server_set servers, std::string const& name);
    ~sentinel_locator() override;

    bool locate(place& out, base::instant until, errc& reason, std::string& problem) override;
    void doubt(endpoint const& endpoint) override;
    void watch(std::shared_ptr<reactor> const& loop, on_master tell) override;
    void close() override;
    std::optional<sentinel_facts> sentinels() override;

    // For the watch.
    connection::greeting const& words() const noexcept { return words_; }
    /// Null: user and password are among the words.
    std::shared_ptr<login> const& who() const noexcept { return who_; }
    std::string const& master_name() const noexcept { return servers_.master_name; }
    /// The Sentinel to ask first.
    place first_sentinel();
    void on_failed_sentinel(endpoint const& sentinel);
    struct news {
        bool moved = false; ///< there was a failover
        endpoint master{};  ///< where all connections belong
    };
    /// A Sentinel has said by itself where the master is.
    news on_news(endpoint const& from, connection::sentinel_answer const& said);
    bool knows_several();
    /// Each time another one; none: there is only this one.
    std::optional<place> another_than(endpoint const& watched);
    /// It is about a later failover than the one that is known.
    bool is_newer(connection::sentinel_answer const& said);

private:
    struct candidate {
        connection::master_record::statement said{};
        connection::host_and_port from{};
    };
    struct findings;

    place place_of_master(connection::host_and_port const& address);
    /// The same, with who has named it.
    place told_place(connection::host_and_port const& master);
    place place_of_sentinel(connection::host_and_port const& address);
    std::vector<place> sentinels_in_order();
    void on_answer(connection::host_and_port const& from, connection::sentinel_answer const& said);
    std::string failure(findings const& found) const;

    config const settings_;
    server_set const servers_;
    connection::greeting const words_;
    std::shared_ptr<login> const who_; ///< null: user and password are among the words
    tls_hosts tls_of_servers_;
    tls_hosts tls_of_sentinels_;
    round_bell const bell_;
    std::shared_ptr<sentinel_watcher> watcher_{}; ///< set before other threads are there

    std::mutex mutex_; // guards what follows
    connection::sentinel_list sentinels_;
    std::size_t others_asked_ = 0;
    connection::master_record record_{};
    sentinel_facts facts_{};                              ///< from the latest answer
    std::string replicas_refused_{};                      ///< from the latest to that question
    std::optional<connection::host_and_port> named_by_{}; ///< who said where the master is
    base::instant believed_until_{};                      ///< what was said without a question need not be asked for
};

} // namespace redlatch::io
