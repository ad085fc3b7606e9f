// The lowest asynchronous form: an operation ends by calling an object of the user's, on the client's own I/O thread.
//
// <redlatch/asio.hpp> is made of it, and so are the forms with callbacks. Use it to join another event loop or another kind of
// future; see event_source.hpp for the other half.
//
//     redlatch::completion_ptr<redlatch::hold> done(new my_completion);
//     if (auto const end = lock.start_acquire({.owner = me}, done))
//         ...                                                  // it ended at once - refused -, and `done` is still ours
//
//     | event                                           | what is called                                                 |
//     |-------------------------------------------------|----------------------------------------------------------------|
//     | start_… returns an outcome                      | at most begins(); the completion stays the caller's            |
//     | start_… throws: memory or a thread is missing   | the same                                                       |
//     | start_… returns none; before anything else runs | begins(), on the calling thread                                |
//     | the operation ends, whatever the reason         | complete(), once; never within start_…                         |
//     | its event loop is gone (event_source)           | discard(): nobody is left to be told                           |
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace redlatch {

/// How an operation ended. Its message is made only for those who ask.
///
/// Thread safety: distinct objects: safe. Shared objects: const members are safe.
class outcome {
public:
    /// Makes the message of something that lives for as long as the outcome is looked at.
    using teller = std::string (*)(void const* source);

    outcome() noexcept = default;
    outcome(std::error_code code, std::string message) noexcept : code_(code), message_(std::move(message)) {}
    outcome(std::error_code code, void const* source, teller tell) noexcept
        : code_(code), about_(source), tell_(tell) {}

    bool failed() const noexcept { return static_cast<bool>(code_); }
    /// One of redlatch::errc; zero: success.
    std::error_code code() const noexcept { return code_; }
    /// What redlatch::error would say, with the names of what it is about. Within complete() only.
    std::string message() const {
        if (tell_ != nullptr) return tell_(about_);
        return message_.empty() ? code_.message() : message_;
    }

private:
    std::error_code code_;
    std::string message_;
    void const* about_ = nullptr;
    teller tell_ = nullptr;
};

namespace detail {

class cancellable {
public:
    virtual void cancel() noexcept = 0;

protected:
    ~cancellable() = default;
};

} // namespace detail

/// Ends an operation early: its completion is soon told errc::cancelled, or that it had ended just before.
///
/// Thread safety: distinct and shared objects: safe. May outlive the operation, the lock and the client.
class canceller {
public:
    canceller() noexcept = default;
    explicit canceller(std::weak_ptr<detail::cancellable> cancellable) noexcept : what_(std::move(cancellable)) {}

    /// Never blocks, calls nobody. Releases cannot be cancelled: they end within config::timeout by themselves.
    void cancel() const noexcept {
        if (auto const alive = what_.lock()) alive->cancel();
    }

private:
    std::weak_ptr<detail::cancellable> what_;
};

/// Where complete() runs.
enum class completes_on : std::uint8_t {
    reactor,  ///< on the client's I/O thread, at once: it must not block, nor call anything that might
    notifier, ///< on the client's notifier thread, in order with listeners: it may run a user's code
};

/// Completion handler: called exactly once when the operation finishes. An object of the user's with an address of its own and
/// one owner.
///
/// Lifetime: given up by complete() and by discard(), one of which is called once: either deletes the object.
template <class... Values> class completion {
public:
    explicit completion(completes_on thread = completes_on::reactor) noexcept : where_(thread) {}
    completion(completion const&) = delete;
    completion& operator=(completion const&) = delete;

    /// The operation is about to start; `cancel` ends it early. On the thread that starts it. (A client that closes in this
    /// very moment still refuses then.)
    virtual void begins(canceller const& cancel [[maybe_unused]]) noexcept {}
    /// The end. Blocking calls into the client are refused here (errc::wrong_thread); holds may be destroyed.
    virtual void complete(outcome const& outcome, Values... values) noexcept = 0;
    /// Called in place of complete() when no result will come, as after event_source::abandon().
    virtual void discard() noexcept = 0;

    completes_on where() const noexcept { return where_; }

protected:
    ~completion() = default;

private:
    completes_on const where_;
};

namespace detail {

struct discards {
    template <class Completion> void operator()(Completion* completion) const noexcept { completion->discard(); }
};

} // namespace detail

template <class... Values> using completion_ptr = std::unique_ptr<completion<Values...>, detail::discards>;

} // namespace redlatch
