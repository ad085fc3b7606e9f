// New credentials for a connection that lives longer than those it was made with.
//
//     connected          a timer for the time at which to ask again, if they expire
//     the timer          ask, on a thread of its own, as whoever is asked may block
//     an answer          use it, and the timer again
//     none, or refused   a warning in the log, and the timer after a pause
#pragma once

#include "io/login.hpp"
#include "io/reactor.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace redlatch::io {

/// Thread-safe.
class login_renewal : public std::enable_shared_from_this<login_renewal> {
public:
    /// Gets the new credentials, on the reactor.
    using use = std::function<void(login_renewal&, credentials const&)>;

    login_renewal(std::shared_ptr<reactor> loop, std::shared_ptr<login> login, use then)
        : loop_(std::move(loop)), login_(std::move(login)), use_(std::move(then)) {}

    /// There is a new connection.
    void connected() { ask_at(login_->next_time()); }
    /// The server, or whoever is asked, says no.
    void failed(std::string const& problem);

private:
    void ask_at(base::instant due_time);
    void ask();
    void on_answer(bool is_one, std::string const& problem);

    std::shared_ptr<reactor> const loop_;
    std::shared_ptr<login> const login_;
    use const use_;
    std::mutex mutex_; // guards what follows
    reactor::timer timer_ = 0;
};

} // namespace redlatch::io
