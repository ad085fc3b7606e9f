// A resource's own check of fencing tokens: it refuses whoever had its lock before the last one that wrote.
//
//     redlatch::fencing_gate gate(stored_token);              // one for each resource, which lives as long as it does
//     switch (gate.admit(hold.token(), [&] { file.append(line); })) {
//     case redlatch::admission::admitted: break;              // written
//     case redlatch::admission::stale_token:                  // a later holder has written: stop
//     case redlatch::admission::no_token: ...                 // not a hold of a fenced_lock
//     }
//
// Why: a holder that is stopped beyond the end of its lease may write after another one has got the lock. The tokens of a
// fenced_lock grow with each holder, so the resource can tell: it keeps the greatest token that it has admitted, and refuses
// all that are less. Martin Kleppmann's "How to do distributed locking" describes the method.
//
// A gate is memory of one process. It protects what only this process writes to, such as a file or a device behind a service.
// Where several processes write, as to a database, the comparison must be made there, in the same transaction as the write:
// docs/fencing.md shows it for PostgreSQL and for Redis.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace redlatch {

/// What a gate says of a token.
enum class admission {
    admitted,    ///< at least as great as all that were admitted before
    stale_token, ///< a greater one was admitted: whoever shows this one has lost the lock
    no_token,    ///< none, or 0: no hold of a fenced_lock has it
};

/// The enumerator's name, as above; "unknown" for any other value.
constexpr std::string_view to_string(admission verdict) noexcept {
    switch (verdict) {
    case admission::admitted: return "admitted";
    case admission::stale_token: return "stale_token";
    case admission::no_token: return "no_token";
    }
    return "unknown";
}

/// Keeps the greatest token that one resource has admitted. It needs no client and no server.
///
/// Equal tokens pass, since one holder may write many times. Tokens of different locks cannot be compared: all writers of one
/// resource use one fenced_lock.
///
/// Thread safety: safe, also for shared objects.
class fencing_gate {
public:
    /// `greatest`: the greatest token that was admitted before, as it is stored with the resource's data. A gate that begins
    /// with 0 after a restart admits again what it had refused.
    explicit fencing_gate(std::uint64_t greatest = 0) noexcept : greatest_(greatest) {}

    /// Calls `write` if the token is admitted. Writes are made one after the other, so that none with a lesser token comes
    /// after one with a greater token. Blocks while another call writes; makes no round trip. What `write` throws is thrown on,
    /// and the token counts as admitted, since a part may have been written. `write` may not use the gate.
    template <class Write> [[nodiscard]] admission admit(std::optional<std::uint64_t> token, Write&& write) {
        std::lock_guard const guard(mutex_);
        admission const verdict = judge(token);
        if (verdict == admission::admitted) std::forward<Write>(write)();
        return verdict;
    }

    /// For one thread that checks and writes. With several, a token that is admitted here may be stale before its write is
    /// made: give the write to the other form. Blocks while another call writes; makes no round trip.
    [[nodiscard]] admission admit(std::optional<std::uint64_t> token) {
        return admit(token, [] {});
    }

    /// The greatest token admitted so far, which the next gate of this resource begins with. Blocks as admit().
    std::uint64_t greatest() const {
        std::lock_guard const guard(mutex_);
        return greatest_;
    }

private:
    admission judge(std::optional<std::uint64_t> token) noexcept {
        if (token.value_or(0) == 0) return admission::no_token;
        if (*token < greatest_) return admission::stale_token;
        greatest_ = *token;
        return admission::admitted;
    }

    mutable std::mutex mutex_;
    std::uint64_t greatest_;
};

} // namespace redlatch
