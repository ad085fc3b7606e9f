// A server that answers and executes no writes: it is loading, out of memory or read-only, or misses its replicas or its disk.
//
// | state | event                                    | action, next                                              |
// |-------|------------------------------------------|-----------------------------------------------------------|
// | works | a write is refused                       | told once; nobody writes for a pause -> still             |
// | works | a refusal of a write that was sent before | nothing: it is older than what is known                  |
// |       | that whose success was the end           |                                                           |
// | still | the pause is over, somebody wants to write | that one tries, the others wait for another pause       |
// | still | the try is refused                       | a longer pause                                            |
// | still | a new connection                         | may be tried at once, unless the server is read-only: that |
// |       |                                          | connection was made because of the refusal                |
// | still | a write succeeds                         | told once -> works                                        |
// | still | something else is executed               | as above, if the server executed nothing before (LOADING); |
// |       |                                          | otherwise it may work again: no pauses until a refusal.    |
// |       |                                          | If that comes soon it has not worked: `since` stays        |
// So a server that cannot serve anybody is asked by one for all, and not by each waiter.
#pragma once

#include "base/random.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <string>

namespace redlatch::connection {

class standstill {
public:
    /// Pauses begin at 100 ms and double up to `longest_pause`.
    standstill(base::milliseconds longest_pause, std::uint64_t seed) noexcept;

    /// A write that was sent at `sent_at` was not executed. True: it begins.
    bool on_refused(std::string const& said, base::instant sent_at, base::instant now);
    /// A write was executed; `grows`: one that needs memory. True: it is over.
    bool on_written(base::instant sent_at, bool grows) noexcept;
    /// What changes nothing was executed, such as an attempt that found a lock busy. True: it is over.
    bool on_executed(base::instant sent_at) noexcept;
    void on_connected() noexcept;

    /// When somebody who wants to write may try; not later than `now`: at once, and it is this one for all.
    base::instant next_write(base::instant now) noexcept;
    /// When the next try is due.
    base::instant next() const noexcept { return next_; }
    /// never: the server works.
    base::instant since() const noexcept { return may_work_ ? base::never : since_; }
    bool refuses() const noexcept { return since_ != base::never; }
    std::string const& said() const noexcept { return said_; }

    static constexpr base::milliseconds first_pause{100};

private:
    bool says(char const* word) const noexcept;
    bool end(base::instant sent_at) noexcept;

    base::milliseconds longest_pause_;
    base::random_source random_;
    std::string said_;
    base::instant since_ = base::never;
    base::instant ended_by_ = base::instant::min(); ///< sent then, what was executed when it was last over
    base::instant next_ = base::instant::min();
    base::instant slowed_at_ = base::instant::min(); ///< what was sent before counts for the pause already
    base::milliseconds pause_ = first_pause;
    int refusals_ = 0;
    bool may_work_ = false; ///< something else was executed since the latest refusal
};

} // namespace redlatch::connection
