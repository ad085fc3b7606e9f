// Who holds the lock that we wait for? Two answers make the wait senseless: what stands under the name is no lock and will
// never be released, or the holder is a `redlatch run` around this very command, which waits for us.
#pragma once

#include <redlatch/basic_lock.hpp>
#include <redlatch/error.hpp>
#include <redlatch/lock_info.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace redlatch::cli {

/// The holders around this process, outermost first: "client:holder", separated by blanks. `redlatch run` adds its own.
inline constexpr char const* owners_variable = "REDLATCH_OWNERS";
std::string owners_with(std::string const& another);

/// Is one of its owners named in `owners`, a value of that variable?
bool held_by_one_of(std::string_view owners, lock_info const& lock);

/// Asks without blocking; the answers stop the wait. Thread safety: distinct and shared objects: safe. May be destroyed while a
/// question is under way.
class holder_watch {
public:
    /// `endless`: the wait has no end of its own, so a holder around us is a reason to end it. Otherwise it is only noticed.
    holder_watch(basic_lock const& lock, std::stop_source const& wait, bool endless);

    /// One question at a time: while another one is under way nothing happens. Starts the client's threads. A server that does
    /// not answer, or does not permit it, tells nothing.
    void ask();
    /// Until the question under way was answered, for at most `limit`, or until the wait was stopped.
    void wait_for_answer(duration limit) const;

    /// Why the wait was stopped; none: not by us.
    std::optional<error> refusal() const;
    /// What the last answer was; nobody holds it: there was none.
    lock_info seen() const;
    /// The last holder that was seen was one around us.
    bool is_around_us() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace redlatch::cli
