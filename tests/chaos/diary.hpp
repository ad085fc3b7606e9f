// Where a worker writes what happens to it, and the counter that all workers share.
#pragma once

#include "history.hpp"
#include "support/descriptor.hpp"

#include <atomic>
#include <string>

namespace redlatch::chaos {

/// Appends lines to a file, each with one write: what was said stays said when the process is killed.
/// Thread safety: shared objects: safe.
class diary {
public:
    explicit diary(std::string const& file);
    void say(event const& what) const;

private:
    test::descriptor file_;
};

/// The resource that the lock protects: a number in a file that all processes map.
/// Thread safety: shared objects: safe.
class token_counter {
public:
    explicit token_counter(std::string const& file);
    token_counter(token_counter const&) = delete;
    token_counter& operator=(token_counter const&) = delete;
    ~token_counter();

    std::int64_t next() noexcept { return value_->fetch_add(1) + 1; }
    std::int64_t last() const noexcept { return value_->load(); }

private:
    std::atomic<std::int64_t>* value_;
    static_assert(std::atomic<std::int64_t>::is_always_lock_free, "other processes use the same word");
};

} // namespace redlatch::chaos
