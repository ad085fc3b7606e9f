#include "locking/lock_record.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <string_view>

namespace redlatch::locking {

contention* lock_record::contend() noexcept {
    if (!contended) {
        auto const seed =
            settings->seed ^ std::hash<std::string_view>()(name); // no two locks, no two clients have the same
        contended.reset(new (std::nothrow) contention(seed, how->takes_turns, !has_channel()));
    }
    return contended.get();
}

void lock_record::on_busy(std::optional<std::int64_t> listeners, channel_sample const& heard, base::instant until,
                          base::instant now) noexcept {
    on_answered(now);
    auto* const others = contend();
    if (others == nullptr) return;
    if (listeners && heard.subscribed) listeners = std::max<std::int64_t>(*listeners - 1, 0); // this process
    if (!how->each_waiter_asks()) others->turn.on_busy(heard, listeners, now);
    others->busy_until = until;
    others->had_to_wait = true;
}

void lock_record::on_released(std::int64_t others, std::optional<channel_sample> const& own, base::instant held_since,
                              base::instant now) noexcept {
    on_answered(now);
    bool const somebody_listens = others > 0 || own;
    auto* const known = somebody_listens ? contend() : contended.get();
    if (known == nullptr) return;
    known->turn.on_released(others, own.value_or(channel_sample()), now);
    known->turn.leave_to_others(others, now - held_since, now);
}

} // namespace redlatch::locking
