// Part of redlatch/asio.hpp: the end of an operation on its way to a handler of Asio's.
//
// | what the handler is associated with | what it is used for                                                            |
// |-------------------------------------|--------------------------------------------------------------------------------|
// | executor                            | the handler runs there, never within the call that starts; until then it has   |
// |                                     | work. None: the client's loop; none either: the client's notifier thread       |
// | allocator                           | the memory of the operation here, given back before the handler runs           |
// | cancellation slot                   | every type of cancellation ends the operation                                  |
#pragma once

#include <redlatch/completion.hpp>
#include <redlatch/detail/asio_loop.hpp>
#include <redlatch/error.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace redlatch::detail {

/// Stands for "the handler names none".
struct no_executor {};

template <class Handler>
inline constexpr bool names_executor =
    !std::is_same_v<typename boost::asio::associated_executor<Handler, no_executor>::type, no_executor>;

template <template <class...> class Of, class... One, class... Other>
std::true_type are_of_one_template(Of<One...> const*, Of<Other...> const*);
std::false_type are_of_one_template(void const*, void const*);

/// The executor of use_future: it has no threads and only keeps the promise, so its work is done where we are.
template <class Executor>
inline constexpr bool keeps_a_promise = decltype(are_of_one_template(
    std::declval<boost::asio::associated_executor_t<
        typename boost::asio::async_result<boost::asio::use_future_t<>, void()>::completion_handler_type> const*>(),
    std::declval<Executor const*>()))::value;

/// A handler with what it will be called with. It has the handler's allocator, and no executor: it is where it belongs already.
template <class Handler, class... Arguments> struct bound_handler {
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    Handler handler;
    std::tuple<Arguments...> arguments;

    allocator_type get_allocator() const noexcept { return boost::asio::get_associated_allocator(handler); }
    void operator()() {
        // Here, where the handler runs, nobody else uses its slot.
        if (auto slot = boost::asio::get_associated_cancellation_slot(handler); slot.is_connected()) slot.clear();
        std::apply([this](auto&... each) { std::move(handler)(std::move(each)...); }, arguments);
    }
};

/// `Shape::arguments(outcome const&, Values...)` is the tuple that the handler is called with.
template <class Handler, class Shape, class... Values> class asio_completion final : public completion<Values...> {
    using executor =
        typename std::conditional_t<names_executor<Handler>, boost::asio::associated_executor<Handler, no_executor>,
                                    std::type_identity<boost::asio::io_context::executor_type>>::type;
    using work = boost::asio::executor_work_guard<executor>;
    using allocator = typename std::allocator_traits<
        boost::asio::associated_allocator_t<Handler>>::template rebind_alloc<asio_completion>;

public:
    /// `start(done)` starts the operation, or returns its end.
    template <class Start> static void initiate(Handler handler, user_loop const* loop, Start start) {
        allocator memory(boost::asio::get_associated_allocator(handler));
        auto* const place = std::allocator_traits<allocator>::allocate(memory, 1);
        // Asio's handlers move without throwing.
        auto* const one = new (place) asio_completion(std::move(handler), loop);
        completion_ptr<Values...> done(one);
        if (std::optional<outcome> const end = start(done)) {
            static_cast<void>(done.release()); // it is `one`
            one->post_end(*end);
        }
    }

    asio_completion(Handler&& handler, user_loop const* loop)
        : asio_completion(work_of(handler, loop), std::move(handler)) {}

    void begins(canceller const& cancel) noexcept override {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (!slot.is_connected()) return;
        slot.assign([cancel](boost::asio::cancellation_type type) {
            if (type != boost::asio::cancellation_type::none) cancel.cancel();
        });
    }

    void complete(outcome const& outcome, Values... values) noexcept override {
        auto const guard = std::move(work_);
        auto full = unwrap(outcome, std::move(values)...);
        if (!guard)
            full(); // we are on the notifier thread
        else if constexpr (keeps_a_promise<executor>)
            boost::asio::dispatch(guard->get_executor(), std::move(full));
        else
            boost::asio::defer(guard->get_executor(), std::move(full));
    }

    void discard() noexcept override {
        // The handler may own what it is allocated from: it goes last.
        auto const handler = std::move(handler_);
        auto const guard = std::move(work_);
        destroy(handler);
    }

private:
    asio_completion(std::optional<work> guard, Handler&& handler)
        : completion<Values...>(guard ? completes_on::reactor : completes_on::notifier), work_(std::move(guard)),
          handler_(std::move(handler)) {}

    static std::optional<work> work_of(Handler const& handler, user_loop const* loop) {
        if constexpr (names_executor<Handler>) {
            (void)loop;
            return work(boost::asio::associated_executor<Handler, no_executor>::get(handler));
        } else {
            (void)handler;
            if (auto* const context = context_of(loop)) return work(context->get_executor());
            return std::nullopt;
        }
    }

    void destroy(Handler const& handler) noexcept {
        allocator memory(boost::asio::get_associated_allocator(handler));
        std::destroy_at(this);
        std::allocator_traits<allocator>::deallocate(memory, this, 1);
    }

    /// The handler is taken out and our memory given back, so that the next operation may have it.
    auto unwrap(outcome const& outcome, Values... values) {
        auto arguments = Shape::arguments(outcome, std::move(values)...);
        return std::apply(
            [this](auto&... each) {
                bound_handler<Handler, std::decay_t<decltype(each)>...> full{std::move(handler_), {std::move(each)...}};
                destroy(full.handler);
                return full;
            },
            arguments);
    }

    void post_end(outcome const& outcome) {
        auto const guard = std::move(work_);
        auto full = unwrap(outcome, Values()...);
        if (guard)
            boost::asio::post(guard->get_executor(), std::move(full));
        else
            boost::asio::post(boost::asio::system_executor(), std::move(full));
    }

    std::optional<work> work_;
    Handler handler_;
};

} // namespace redlatch::detail
