#include "connection/standstill.hpp"

#include "base/backoff.hpp"

#include <algorithm>

namespace redlatch::connection {

standstill::standstill(base::milliseconds longest_pause, std::uint64_t seed) noexcept
    : longest_pause_(std::max(longest_pause, first_pause)), random_(seed) {}

bool standstill::says(char const* word) const noexcept {
    return said_.find(word) != std::string::npos; // Redis 6 puts words of its own around it
}

bool standstill::on_refused(std::string const& said, base::instant sent_at, base::instant now) {
    if (!refuses() && sent_at <= ended_by_) return false;
    said_ = said; // may throw
    if (may_work_ && sent_at > slowed_at_) {
        may_work_ = false;
        // What changes nothing is no proof that it worked in between; that nobody was refused for long is a hint. Told already.
        if (now - slowed_at_ > 2 * longest_pause_) {
            since_ = now;
            refusals_ = 0;
        }
    }
    bool const begins = since_ == base::never;
    if (begins) {
        since_ = now;
        refusals_ = 0;
    } else if (sent_at <= slowed_at_) {
        return false;
    }
    pause_ = base::backoff_pause(refusals_++, first_pause, longest_pause_, random_);
    next_ = base::later(now, pause_);
    slowed_at_ = now;
    return begins;
}

bool standstill::on_written(base::instant sent_at, bool grows) noexcept {
    if (since_ == base::never || sent_at < since_) return false;
    if (!grows && says("OOM")) return false; // what needs no memory says nothing of it
    return end(sent_at);
}

bool standstill::end(base::instant sent_at) noexcept {
    ended_by_ = sent_at;
    since_ = base::never;
    next_ = base::instant::min();
    may_work_ = false;
    return true;
}

bool standstill::on_executed(base::instant sent_at) noexcept {
    if (since_ == base::never || sent_at <= slowed_at_) return false;
    bool const only_writes = says("OOM") || says("READONLY") || says("NOREPLICAS") || says("MISCONF");
    if (!only_writes) return end(sent_at);
    may_work_ = true;
    return false;
}

void standstill::on_connected() noexcept {
    if (!says("READONLY")) next_ = base::instant::min();
}

base::instant standstill::next_write(base::instant now) noexcept {
    if (since_ == base::never || may_work_) return now;
    if (now < next_) return next_;
    next_ = base::later(now, pause_);
    return now;
}

} // namespace redlatch::connection
