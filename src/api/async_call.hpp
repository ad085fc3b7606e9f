// An operation on the reactor and the completion that is told of its end, in one piece of memory.
#pragma once

#include "io/client_core.hpp"
#include "io/operation.hpp"

#include <redlatch/completion.hpp>
#include <redlatch/error.hpp>
#include <redlatch/options.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

namespace redlatch::detail {

/// complete() for later. What the outcome is about may be gone by then; and std::function wants copies.
template <class... Values>
std::function<void()> boxed(completion_ptr<Values...> done, outcome const& result, Values... values) {
    struct box {
        completion_ptr<Values...> done;
        outcome result;
        std::tuple<Values...> values;
    };
    auto full = std::make_shared<box>(box{std::move(done),
                                          result.failed() ? outcome(result.code(), result.message()) : outcome(),
                                          {std::move(values)...}});
    return [full = std::move(full)] {
        std::apply([&](auto&... each) { full->done.release()->complete(full->result, std::move(each)...); },
                   full->values);
    };
}

/// Calls complete() where the completion wants it. On the reactor.
template <class... Values>
void tell(io::client_core& core, completion_ptr<Values...> done, outcome const& outcome, Values... values) {
    if (!done) return;
    if (done->where() == completes_on::reactor) return done.release()->complete(outcome, std::move(values)...);
    core.notify(boxed(std::move(done), outcome, std::move(values)...));
}

/// `Finish(Operation&, completion_ptr<Values...>)` tells.
template <class Operation, class Finish, class... Values> class async_call final : public io::async_task {
public:
    template <class... Arguments>
    async_call(std::shared_ptr<io::client_core> core, Finish finish, Arguments&&... arguments)
        : async_task(core->loop()), core_(std::move(core)), finish_(std::move(finish)),
          what_(std::in_place, core_, std::forward<Arguments>(arguments)...) {}

    completion_ptr<Values...>& done() noexcept { return done_; }

private:
    io::operation& what() noexcept override { return *what_; }
    void finished() noexcept override {
        auto const core = std::move(core_);
        core->forget(*this);
        finish_(*what_, std::move(done_));
        what_.reset();
    }
    void disowned() noexcept override { done_.reset(); }

    std::shared_ptr<io::client_core> core_;
    Finish finish_;
    completion_ptr<Values...> done_{};
    std::optional<Operation> what_;
};

/// Starts an operation; false: the client is closed, and `done` is untouched. So it is where this throws.
template <class Operation, class Finish, class... Values, class... Arguments>
bool start(std::shared_ptr<io::client_core> const& core, std::stop_token const& stop, completion_ptr<Values...>& done,
           Finish finish, Arguments&&... arguments) {
    using call = async_call<Operation, Finish, Values...>;
    auto const one = std::allocate_shared<call>(base::recycling<call>(), core, std::move(finish),
                                                std::forward<Arguments>(arguments)...);
    one->done() = std::move(done); // only now: the operation may have asked for memory that there is not
    if (one->done()) one->done()->begins(canceller(std::weak_ptr<cancellable>(one)));
    if (core->run(one, stop)) return true;
    done = std::move(one->done());
    return false;
}

/// Of an operation that has failed.
template <class Operation> outcome failure_of(Operation const& operation) {
    return {operation.result(), &operation,
            [](void const* source) { return static_cast<Operation const*>(source)->message(); }};
}

/// A handler of the user's, on its executor or on the notifier thread.
template <class... Values> class callback final : public completion<Values...> {
public:
    using handler = std::function<void(std::error_code, Values...)>;

    callback(completes_on thread, executor ex, handler done)
        : completion<Values...>(thread), where_(std::move(ex)), what_(std::move(done)) {}

    void complete(outcome const& outcome, Values... values) noexcept override {
        std::unique_ptr<callback> const self(this);
        if (!where_) return what_(outcome.code(), std::move(values)...);
        // A hold moves, and std::function wants copies.
        auto const full = std::make_shared<std::tuple<Values...>>(std::move(values)...);
        where_([what = std::move(what_), code = outcome.code(), full] {
            std::apply([&](auto&... each) { what(code, std::move(each)...); }, *full);
        });
    }
    void discard() noexcept override { delete this; }

private:
    executor where_;
    handler what_;
};

/// Throws error(invalid_argument) at once: later there would be nobody to tell.
template <class Signature> void must_be_callable(std::function<Signature> const& handler) {
    if (!handler)
        throw error(errc::invalid_argument,
                    "an asynchronous call needs a handler; give one that does nothing if you do not "
                    "want to know, and nothing was started");
}

/// The form with a handler, made of the form with a completion: `start(done)` returns an end that is known at once.
template <class... Values, class Start>
void with_handler(io::client_core& core, executor ex,
                  std::type_identity_t<std::function<void(std::error_code, Values...)>> handler, Start start) {
    must_be_callable(handler);
    // Where the user's loop runs the client, the user's executor is asked on that loop and on no thread of ours.
    bool const on_loop = ex && core.driven_by() != nullptr;
    bool const in_child = core.forked(); // where the client has no thread, and its mutexes are the parent's
    if (!on_loop && !in_child) core.start_notifier(); // else a lock might be held that nobody can be told of
    completion_ptr<Values...> done(new callback<Values...>(on_loop ? completes_on::reactor : completes_on::notifier,
                                                           std::move(ex), std::move(handler)));
    std::optional<outcome> const end = start(done);
    if (!end) return;
    auto full = boxed(std::move(done), *end, Values()...); // never inside this call
    if (in_child)
        std::thread(std::move(full)).detach();
    else if (on_loop && !core.closed())
        core.loop()->post(std::move(full));
    else
        core.notify(std::move(full));
}

} // namespace redlatch::detail
