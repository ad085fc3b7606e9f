// A few commands to a server on a connection of their own, which ends with the answers. Driven by readiness, as connector is.
#pragma once

#include "io/connector.hpp"
#include "io/locator.hpp"
#include "resp/reader.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace redlatch::io {

class brief_question {
public:
    using progress = connector::progress;

    /// `commands`: none, where what is said with the greeting is the question.
    brief_question(locator::place const& to, std::vector<address> addresses, connection::greeting const& words,
                   std::string commands, std::size_t replies);

    /// Before anything else, as of connector.
    void give_until(base::instant until) noexcept { attempt_.give_until(until); }
    /// Call at first, and whenever fd() is ready for events().
    progress advance();
    /// Call on_time_over() then.
    base::instant due_at() const noexcept { return wire_ ? base::never : attempt_.due_at(); }
    progress on_time_over();

    /// Negative: there is nothing to wait for but due_at().
    int fd() const noexcept { return wire_ ? wire_.fd() : attempt_.fd(); }
    /// poll(2) events to wait for.
    short events() const noexcept { return wire_ ? wants_ : attempt_.events(); }

    /// After ready; as many as were asked for.
    std::vector<resp::value> const& replies() const noexcept { return replies_; }
    /// After failed: a message that names the server.
    errc reason() const noexcept { return attempt_.reason(); }
    std::string const& problem() const noexcept { return attempt_.problem(); }
    /// There is no more time for it.
    void expire() { attempt_.expire(); }

private:
    progress on_attempt(progress outcome);
    progress send();
    progress receive();
    progress failed(errc reason, std::string const& problem);

    connector attempt_;
    std::string const commands_;
    std::size_t const expected_;
    wire wire_; ///< once connected
    std::size_t sent_ = 0;
    short wants_ = 0;
    resp::reader reader_;
    std::vector<resp::value> replies_{};
};

} // namespace redlatch::io
