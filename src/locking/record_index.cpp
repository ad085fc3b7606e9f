#include "locking/record_index.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

namespace redlatch::locking {

namespace {

/// Without the address of the kind, which differs from run to run, and with it would the order of for_each().
std::size_t hash_of(std::string_view name, std::span<std::string const> parts) noexcept {
    constexpr std::hash<std::string_view> hash{};
    auto sum = hash(name);
    for (auto const& part : parts) sum = sum * 31 + hash(part);
    return sum;
}

bool matches(lock_record const& record, std::string_view name, recipe const& kind, std::span<std::string const> parts) {
    return record.how == &kind && record.name == name && std::ranges::equal(parts, record.parts());
}

} // namespace

record_ptr record_index::get(std::string const& name, recipe const& kind, std::vector<std::string> const& parts) {
    if (auto known = find(name, kind, parts)) return known;
    if (records_.size() >= prune_at_) {
        std::erase_if(records_, [](auto const& one) { return one.second.expired(); });
        prune_at_ = std::max<std::size_t>(64, records_.size() * 2);
    }
    auto record = std::make_shared<lock_record>(name, kind, settings_, parts);
    auto const hash = hash_of(name, parts);
    auto const [first, last] = records_.equal_range(hash);
    auto const unused = std::find_if(first, last, [](auto const& one) { return one.second.expired(); });
    if (unused != last)
        unused->second = record;
    else
        records_.emplace(hash, record);
    return record;
}

record_ptr record_index::find(std::string const& name, recipe const& kind,
                              std::vector<std::string> const& parts) const {
    auto const [first, last] = records_.equal_range(hash_of(name, parts));
    for (auto at = first; at != last; ++at)
        if (auto record = at->second.lock(); record && matches(*record, name, kind, parts)) return record;
    return nullptr;
}

void record_index::remember(record_ptr const& record, base::instant now) {
    auto* const contention = record->contend();
    if (contention == nullptr) return;
    bool const known = contention->remembered_until != base::never;
    contention->remembered_until = base::later(now, remembered_for);
    if (!known) remembered_.push_back(record);
    while (remembered_.front()->contended->remembered_until <= now || remembered_.size() > most_remembered) {
        remembered_.front()->contended->remembered_until = base::never;
        remembered_.pop_front();
    }
    // One that is used all the time must not hide those behind it.
    if (remembered_.front() != record) {
        remembered_.push_back(std::move(remembered_.front()));
        remembered_.pop_front();
    }
}

void record_index::keep_refused(record_ptr const& record) {
    if (std::find(refused_.begin(), refused_.end(), record) != refused_.end()) return;
    refused_.push_back(record);
    if (refused_.size() > most_remembered) refused_.pop_front();
}

} // namespace redlatch::locking
