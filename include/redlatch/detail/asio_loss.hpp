// Part of redlatch/asio.hpp: waiting for the loss of what one holds.
//
// | event                                    | the wait                                                                  |
// |------------------------------------------|---------------------------------------------------------------------------|
// | it is lost: the stop_token of lost()     | ends with success                                                         |
// | cancellation through the handler's slot  | ends with errc::cancelled                                                 |
// | the context of the handler is destroyed  | is gone: the handler is destroyed                                         |
//
// The first one counts. What comes while the wait begins is told to its initiation, so that the handler never runs within it.
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/detail/asio_completion.hpp>
#include <redlatch/detail/asio_loop.hpp>
#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/error.hpp>
#include <redlatch/event_source.hpp>
#include <redlatch/hold.hpp>
#include <redlatch/leader_election.hpp>
#include <redlatch/multi_hold.hpp>
#include <redlatch/permits.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>
#include <concepts>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <unordered_set>
#include <utility>

namespace redlatch {
namespace detail {

class loss_wait;

/// Knows the waits whose handlers are to run in a context, and ends them with it.
class loss_wait_service final : public boost::asio::execution_context::service {
public:
    inline static boost::asio::execution_context::id id;

    explicit loss_wait_service(boost::asio::execution_context& owner) : service(owner) {}

    void add(std::shared_ptr<loss_wait> const& wait) {
        std::lock_guard const guard(mutex_);
        waits_.insert(wait);
    }
    void remove(std::shared_ptr<loss_wait> const& wait) {
        std::lock_guard const guard(mutex_);
        waits_.erase(wait);
    }

private:
    void shutdown() override;

    std::mutex mutex_; // guards what follows
    std::unordered_set<std::shared_ptr<loss_wait>> waits_;
};

/// One wait. Thread-safe. Lives until it has ended: the service has it, or, without a context, it has itself.
class loss_wait final : public cancellable, public std::enable_shared_from_this<loss_wait> {
public:
    explicit loss_wait(loss_wait_service* service) noexcept : service_(service) {}

    /// None: it has begun, and `done` is taken. Otherwise how it ended before it had begun.
    std::optional<outcome> begin(std::stop_token const& lost, completion_ptr<>& done) {
        auto const self = shared_from_this();
        done->begins(canceller(self));
        if (service_ != nullptr) service_->add(self);
        callback_.emplace(lost, on_loss{self}); // which runs at once where it is lost already
        std::lock_guard const guard(mutex_);
        if (ended_) {
            if (service_ != nullptr) service_->remove(self);
            return outcome_of(*ended_);
        }
        done_ = std::move(done);
        if (service_ == nullptr) itself_ = self;
        return std::nullopt;
    }

    void cancel() noexcept override { end(make_error_code(errc::cancelled), thread::any); }

    /// The context is going away.
    void discard() noexcept {
        std::unique_lock guard(mutex_);
        ended_ = make_error_code(errc::cancelled);
        auto const gone = std::move(done_);
        guard.unlock(); // a handler may own anything
    }

private:
    enum class thread { notifier, any };

    struct on_loss {
        std::weak_ptr<loss_wait> wait;
        void operator()() const noexcept {
            if (auto const alive = wait.lock()) alive->end({}, thread::notifier);
        }
    };

    static outcome outcome_of(std::error_code code) {
        return code ? outcome(code, "waiting for a loss was cancelled") : outcome();
    }

    void end(std::error_code code, thread here) noexcept {
        std::unique_lock guard(mutex_);
        if (ended_) return;
        ended_ = code;
        if (!done_) return; // it begins just now
        auto done = std::move(done_);
        if (service_ != nullptr) { // under the mutex: the context does not go away meanwhile, see discard()
            done.release()->complete(outcome_of(code));
            return service_->remove(shared_from_this());
        }
        auto const last = std::move(itself_);
        guard.unlock();
        if (here == thread::notifier)
            done.release()->complete(outcome_of(code));
        else // not within the call that cancels
            boost::asio::post(boost::asio::system_executor(), [completion = std::move(done), code]() mutable {
                completion.release()->complete(outcome_of(code));
            });
    }

    loss_wait_service* const service_; ///< null: the handler has no context
    std::mutex mutex_;                 // guards what follows, but for the callback
    std::optional<std::error_code> ended_;
    completion_ptr<> done_;
    std::shared_ptr<loss_wait> itself_;
    std::optional<std::stop_callback<on_loss>> callback_; ///< the last member: its end waits for a call that runs
};

inline void loss_wait_service::shutdown() {
    // Without the mutex: a wait that ends has its own one when it asks for ours.
    for (;;) {
        std::unique_lock guard(mutex_);
        if (waits_.empty()) return;
        auto const one = std::move(waits_.extract(waits_.begin()).value());
        guard.unlock();
        one->discard();
    }
}

/// Where the handler will run; null: nowhere in particular.
template <class Handler> boost::asio::execution_context* context_for(Handler const& handler, user_loop const* loop) {
    if constexpr (names_executor<Handler>) {
        namespace execution = boost::asio::execution;
        using executor = typename boost::asio::associated_executor<Handler, no_executor>::type;
        static_assert(boost::asio::can_query<executor const&, execution::context_t>::value);
        return &static_cast<boost::asio::execution_context&>(boost::asio::query(
            boost::asio::associated_executor<Handler, no_executor>::get(handler), execution::context));
    } else {
        (void)handler;
        return context_of(loop);
    }
}

/// What a wait needs of what is held.
struct watched_loss {
    hold_status status{};
    std::stop_token lost{};
    std::optional<user_loop> loop{}; ///< of its client

    template <class Held> explicit watched_loss(Held const& held) : status(held.status()), lost(held.lost()) {
        if (auto const* const driver = held.driven_by()) loop.emplace(user_loop{{}, driver->executor});
    }
};

template <class Shape> struct loss_initiation {
    template <class Handler> void operator()(Handler&& handler, watched_loss const& loss) const {
        auto const* const loop = loss.loop ? &*loss.loop : nullptr;
        auto* const context = context_for(handler, loop);
        auto* const service = context != nullptr ? &boost::asio::use_service<loss_wait_service>(*context) : nullptr;
        asio_completion<std::decay_t<Handler>, Shape>::initiate(
            std::forward<Handler>(handler), loop, [&](completion_ptr<>& done) -> std::optional<outcome> {
                if (loss.status == hold_status::lost) return outcome();
                if (loss.status == hold_status::none || loss.status == hold_status::released)
                    return outcome(errc::not_owner, "there is nothing that could be lost: nothing is held here");
                return std::make_shared<loss_wait>(service)->begin(loss.lost, done);
            });
    }
};

template <class Held, class... Kinds>
concept one_of = (std::same_as<Held, Kinds> || ...);

template <class Held>
concept can_be_lost = one_of<Held, hold, multi_hold, permits, leadership>;

template <class Token> auto wait_until_lost(watched_loss loss, Token&& token) {
    using result = plain_result;
    if constexpr (token_throws<std::decay_t<Token>>::value)
        return boost::asio::async_initiate<Token, typename result::throwing_signature<>>(
            loss_initiation<result::exceptions>{}, token, std::move(loss));
    else
        return boost::asio::async_initiate<Token, typename result::signature<>>(loss_initiation<result::codes>{}, token,
                                                                                std::move(loss));
}

} // namespace detail

/// Ends with (error) when what is held is lost; that is success, so that it can be raced against work. At once, with
/// errc::not_owner, where nothing is held: it is empty, or released. On cancellation with errc::cancelled.
///
/// `work || async_wait_lost(hold, token)` ends the work then, but for work that fails: `||` waits for one that succeeds, and so
/// for the loss. run_while_held of redlatch/asio_work.hpp ends with either.
///
/// Takes its lost() token, not the hold: a release meanwhile does not end the wait, nor does the end of a client that has
/// permits; whoever releases cancels it, as `||` does. No polling and no round trip. Where the context of the handler is
/// destroyed, so is the handler.
template <detail::can_be_lost Held, class Token> auto async_wait_lost(Held const& held, Token&& token) {
    return detail::wait_until_lost(detail::watched_loss(held), std::forward<Token>(token));
}

} // namespace redlatch
