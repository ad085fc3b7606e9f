// Asks several servers which of them is the master, and hears when it is another one.
#pragma once

#include "base/waker.hpp"
#include "connection/connect_op.hpp"
#include "connection/master_choice.hpp"
#include "connection/role_watch.hpp"
#include "io/lane.hpp"
#include "io/locator.hpp"
#include "io/question_round.hpp"
#include "io/server_set.hpp"
#include "io/tls/tls_hosts.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace redlatch::io {

class replicated_locator final : public master_locator,
                                 public base::wakeable,
                                 public std::enable_shared_from_this<replicated_locator> {
public:
    /// `name`: of its connections. Throws as make_tls_client does, and std::system_error.
    replicated_locator(config const& settings, server_set servers, std::string const& name);

    bool locate(place& out, base::instant until, errc& reason, std::string& problem) override;
    void doubt(endpoint const& endpoint) override;
    void watch(std::shared_ptr<reactor> const& loop, on_master tell) override;
    void close() override;

    void wake() noexcept override; ///< a server has said what it is

private:
    struct watched {
        std::shared_ptr<connection::role_watch> traffic;
        std::shared_ptr<lane> line;
    };

    connection::greeting words(bool identify) const;
    place place_of(std::size_t index);
    void look();
    void on_role(std::size_t index, connection::server_role role);

    config const settings_;
    server_set const servers_;
    std::string const name_;
    tls_hosts tls_;
    std::shared_ptr<login> const who_; ///< null: user and password are the configuration's
    round_bell const bell_;
    std::shared_ptr<reactor> loop_{}; ///< this and the next two: set before other threads are there
    on_master tell_{};
    std::vector<watched> watched_{};

    std::atomic<bool> closed_{false};
    std::mutex mutex_; // guards what follows
    connection::master_choice choice_;
    base::instant believed_until_{}; ///< what was said without a question need not be asked for
    bool told_of_two_ = false;
};

} // namespace redlatch::io
