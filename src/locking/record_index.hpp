// The records of all locks that this client knows: one for each kind, name and parts while anybody refers to it.
#pragma once

#include "base/time.hpp"
#include "locking/lock_record.hpp"
#include "locking/record_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace redlatch::locking {

/// Not thread-safe.
class record_index {
public:
    explicit record_index(record_settings settings) : settings_(std::move(settings)) {}

    /// Before the first get(): how messages are sent, if not by PUBLISH.
    void publish_by(publish_method const& method) noexcept { settings_.publish = &method; }

    /// Two kinds of one name know nothing of each other here, as two clients would not: what they are to each other is the
    /// server's word.
    /// `parts`: as in lock_record.
    record_ptr get(std::string const& name, recipe const& kind, std::vector<std::string> const& parts = {});
    /// Null: nobody refers to it.
    record_ptr find(std::string const& name, recipe const& kind, std::vector<std::string> const& parts = {}) const;
    /// How many records take up memory: those in use, and a bounded number of others.
    std::size_t size() const noexcept { return records_.size(); }

    /// Others want it too: what is known of their turns outlives the lock objects of this process for a while.
    void remember(record_ptr const& record, base::instant now);
    /// What the server refuses for this key outlives the lock objects of this process.
    void keep_refused(record_ptr const& record);

    template <class Visitor> void for_each(Visitor&& visit) const {
        for (auto const& [hash, weak] : records_)
            if (auto const record = weak.lock()) visit(record);
    }

    /// As long as a subscription lingers; and no more records than this.
    static constexpr base::milliseconds remembered_for{1'000};
    static constexpr std::size_t most_remembered = 1'000;

private:
    record_settings settings_;
    /// By the hash of name and parts, which the records themselves have: of a million locks each byte counts.
    std::unordered_multimap<std::size_t, std::weak_ptr<lock_record>> records_;
    std::size_t prune_at_ = 64;
    std::deque<record_ptr> refused_{};    ///< no more than most_remembered
    std::deque<record_ptr> remembered_{}; ///< those that were remembered first come first
};

} // namespace redlatch::locking
