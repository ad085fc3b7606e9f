// Part of redlatch/asio.hpp: a client that is connected without blocking.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/completion.hpp>
#include <redlatch/detail/asio_loop.hpp>
#include <redlatch/detail/asio_shapes.hpp>
#include <redlatch/error.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redlatch {
namespace detail {

/// The end of a connecting on its way into a context, which may be gone by then. Until it is there the context has work.
class asio_arrival {
public:
    using result = std::optional<client>;

    asio_arrival(boost::asio::io_context& context, client_context_ptr known, completion_ptr<result> done)
        : context_(&context), known_(std::move(known)), done_(std::move(done)), work_(context.get_executor()) {}

    void begins(canceller const& cancel) noexcept { done_->begins(cancel); }
    completion_ptr<result> take() {
        std::lock_guard const guard(mutex_);
        work_.reset();
        return std::move(done_);
    }
    /// With the mutex: the context cannot end meanwhile.
    void complete(outcome const& outcome, result made) {
        std::lock_guard const guard(mutex_);
        if (!done_) return;
        auto end = outcome;
        try {
            if (made) drive(*context_, *made, known_);
        } catch (std::exception const& problem) { // no memory, or no descriptor
            end = redlatch::outcome(errc::disconnected,
                                    std::string("the context cannot run the client: ") + problem.what());
            made.reset();
        }
        done_.release()->complete(end, std::move(made));
        work_.reset();
    }

private:
    boost::asio::io_context* const context_;
    client_context_ptr const known_;
    std::mutex mutex_; // guards what follows
    completion_ptr<result> done_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
};

/// Knows those that a context waits for, and discards them with it.
class asio_arrivals final : public boost::asio::execution_context::service {
public:
    inline static boost::asio::execution_context::id id;

    explicit asio_arrivals(boost::asio::execution_context& owner) : service(owner) {}

    void add(std::shared_ptr<asio_arrival> const& one) {
        std::lock_guard const guard(mutex_);
        std::erase_if(all_, [](auto const& known) { return known.expired(); });
        all_.push_back(one);
    }

private:
    void shutdown() override {
        for (auto const& known : all_)
            if (auto const one = known.lock()) one->take().reset();
    }

    std::mutex mutex_; // guards what follows
    std::vector<std::weak_ptr<asio_arrival>> all_;
};

class asio_connecting final : public completion<std::optional<client>> {
public:
    explicit asio_connecting(std::shared_ptr<asio_arrival> there) : there_(std::move(there)) {}

    void begins(canceller const& cancel) noexcept override { there_->begins(cancel); }
    void complete(outcome const& outcome, std::optional<client> made) noexcept override {
        there_->complete(outcome, std::move(made));
        delete this;
    }
    void discard() noexcept override { delete this; }

private:
    ~asio_connecting() = default;
    std::shared_ptr<asio_arrival> const there_;
};

/// What is asked for, until Asio initiates it.
struct asio_connection_request {
    config settings;
    std::optional<user_loop> loop{}; ///< where a handler runs that names no executor

    user_loop const* driven_by() const noexcept { return loop ? &*loop : nullptr; }
};

} // namespace detail

/// Ends with (error, std::optional<client>). As client::async_connect: it runs on a thread of its own, which ends with it.
template <class Token> auto async_connect(config const& settings, Token&& token) {
    using result = std::optional<client>;
    return detail::asio_start<detail::plain_result, result>(
        std::forward<Token>(token),
        [](detail::asio_connection_request& request, completion_ptr<result>& done) {
            return client::start_connect(request.settings, done);
        },
        detail::asio_connection_request{settings});
}

/// The same for a client that the context runs: see make_client(). A context that ends meanwhile discards the handler.
template <class Token> auto async_connect(boost::asio::io_context& context, config const& settings, Token&& token) {
    using result = std::optional<client>;
    auto const handlers = std::make_shared<detail::client_context>();
    handlers->set(&context);
    return detail::asio_start<detail::plain_result, result>(
        std::forward<Token>(token),
        [&context](detail::asio_connection_request& request, completion_ptr<result>& done) -> std::optional<outcome> {
            // What ends after the arrivals, the last ones of which need it: Asio's own services, and the clients' drivers.
            boost::asio::posix::stream_descriptor const first(context);
            boost::asio::use_service<detail::asio_loop_service>(context);
            // Nobody may ask for the context until the client has come to it: it may be gone by then.
            auto const known = std::make_shared<detail::client_context>();
            auto const there = std::make_shared<detail::asio_arrival>(context, known, std::move(done));
            boost::asio::use_service<detail::asio_arrivals>(context).add(there);
            completion_ptr<result> arriving(new detail::asio_connecting(there));
            auto end = client::start_connect(request.settings, arriving, detail::loop_of(known));
            if (end) done = there->take();
            return end;
        },
        detail::asio_connection_request{settings, detail::loop_of(handlers)});
}

} // namespace redlatch
