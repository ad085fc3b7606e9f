// Who the connections of one lane are for the server, where that changes: asked for at each connect.
#pragma once

#include "base/time.hpp"
#include "connection/connect_op.hpp"
#include "io/endpoint.hpp"

#include <redlatch/config.hpp>
#include <redlatch/credentials.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace redlatch::io {

/// Thread-safe.
class login {
public:
    using source = std::function<credentials()>;

    explicit login(source asked) : source_(std::move(asked)) {}

    /// Asks, and keeps the answer. Blocks for as long as whoever is asked. False: `problem` says why there is none.
    bool ask(std::string& problem);

    /// What is said on a connection, with the answer that was kept last.
    connection::greeting words(connection::greeting usual) const;
    credentials last() const;

    /// When to ask again, so that a connection with the last answer outlives it: a fifth of its time before it expires, a
    /// minute at the most. Never: it does not expire.
    base::instant next_time() const;

    /// After a failure, and with an answer that has expired already.
    static constexpr base::milliseconds pause{1'000};

private:
    source const source_;
    mutable std::mutex mutex_; // guards what follows; not held while somebody is asked
    credentials last_;
    base::instant next_time_ = base::never;
};

/// Null where user and password stand in the configuration for good.
std::shared_ptr<login> login_of(config const& settings, endpoint const& endpoint);
std::shared_ptr<login> login_of_sentinels(config const& settings);

} // namespace redlatch::io
