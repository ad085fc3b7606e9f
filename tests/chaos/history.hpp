// What happened in one run of one scenario, as those who were there wrote it down.
//
// Every worker process appends a line for each event to a file of its own, with one write for each line, so that a process
// that is killed leaves all that it had done. Redisson's workers write the same lines. All times are microseconds of
// CLOCK_MONOTONIC, the one clock that all processes of a machine share and that both languages can read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlatch::chaos {

/// | kind        | written                                                            | number         | until        |
/// |-------------|--------------------------------------------------------------------|----------------|--------------|
/// | begin, end  | by each thread, first and last                                     |                |              |
/// | ask         | before an acquisition                                              |                | its deadline |
/// | got         | the acquisition has returned with the lock                         |                | validity     |
/// | fail        | or without it; the text is the error                               |                |              |
/// | enter       | the token was taken, then `at` was read, then the hold was valid   | the token      | validity     |
/// | turned_away | the token was taken, but the hold was not valid any more           | the token      |              |
/// | look        | the resource was read, then `at`, then the hold was valid          | last token     | validity     |
/// | leave       | the same, and the section ends                                     | last token     | validity     |
/// | lost        | the hold was not valid any more; the section has ended             |                |              |
/// | told        | the callback of lost() ran                                         |                | validity     |
/// | freed       | the release has returned; the text is the error, if any            |                |              |
/// | fault       | by the runner: it does what the scenario is about                  |                |              |
/// | healed      | by the runner: the last of it is undone                            |                |              |
/// | released    | by the runner: long sections are told to end; what comes after it is no recovery | |           |
/// | stopped, continued, killed | by the runner: signals; who is a process, without a thread |         |              |
/// | key_left    | by the runner: when all is over, a key is still there; its name    |                |              |
///
/// The token counts entries, in memory that all processes share: an order that needs no clock. "validity" is when the holder's
/// own knowledge ends, 0 where it has none (Redisson).
enum class kind {
    begin,
    end,
    ask,
    got,
    fail,
    enter,
    turned_away,
    look,
    leave,
    lost,
    told,
    freed,
    fault,
    healed,
    released,
    stopped,
    continued,
    killed,
    key_left,
};

std::string_view name_of(kind what) noexcept;

struct event {
    std::int64_t at = 0;
    std::string who{}; ///< process.thread
    kind what = kind::begin;
    std::int64_t number = 0;
    std::int64_t until = 0;
    std::string text{};
};

using history = std::vector<event>;

/// One line, with its line feed: AT WHO KIND NUMBER UNTIL TEXT
std::string to_line(event const& what);
/// None: not a line of a history.
std::optional<event> from_line(std::string_view line);

/// In the order of their times; events of one thread keep theirs.
void sort(history& events);

/// "holder" of "holder.3".
std::string_view process_of(std::string_view who) noexcept;

std::int64_t now_us() noexcept;

} // namespace redlatch::chaos
