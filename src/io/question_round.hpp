// The same question to several servers: one after the other, but nobody waits long for one that is silent.
#pragma once

#include "base/function_ref.hpp"
#include "base/time.hpp"
#include "io/brief_question.hpp"
#include "io/locator.hpp"
#include "io/unique_fd.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace redlatch::io {

/// Ends rounds on other threads.
class round_bell {
public:
    /// Throws std::system_error where no descriptor is left.
    round_bell();
    void ring() const noexcept;
    int fd() const noexcept { return bell_.get(); }

private:
    unique_fd bell_;
};

struct question_round {
    /// Until when to go on waiting for the others; not later than now: it is enough. `problem`: empty where it has answered.
    using on_end = base::function_ref<base::instant(std::size_t index, brief_question const* asked,
                                                    std::string const& problem, errc reason)>;

    std::vector<locator::place> servers{};
    connection::greeting words{};
    std::string commands{};
    std::size_t replies = 0;
    /// The next one is asked as well when the last has said nothing for so long, and at once when it has failed.
    base::milliseconds patience{200};
    /// How names are looked up.
    std::vector<address> (*look_up)(endpoint const&, bool numeric_only, std::string& problem) = &resolve;

    /// Blocks. Calls `tell` for each server that has answered or failed; all that are left fail at `until`.
    void ask(base::instant until, round_bell const& bell, on_end tell) const;
};

} // namespace redlatch::io
