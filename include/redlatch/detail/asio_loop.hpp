// Part of redlatch/asio.hpp: an io_context as the loop that runs a client.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/config.hpp>
#include <redlatch/event_source.hpp>

#include <any>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace redlatch {
namespace detail {

/// The context that runs a client: none before it does, and none once it is gone. Locks and holds may outlive both, and ask.
///
/// Thread-safe: the context does not end while it is asked.
class client_context {
public:
    void set(boost::asio::io_context* context) {
        std::lock_guard const guard(mutex_);
        context_ = context;
    }
    boost::asio::io_context* get() const {
        std::lock_guard const guard(mutex_);
        return context_;
    }
    bool runs_here() const {
        std::lock_guard const guard(mutex_);
        return context_ != nullptr && context_->get_executor().running_in_this_thread();
    }

private:
    mutable std::mutex mutex_; // guards what follows
    boost::asio::io_context* context_ = nullptr;
};
using client_context_ptr = std::shared_ptr<client_context>;

inline boost::asio::io_context* context_of(user_loop const* loop) {
    auto const* const context = loop != nullptr ? std::any_cast<client_context_ptr>(&loop->executor) : nullptr;
    return context != nullptr ? (*context)->get() : nullptr;
}

class asio_loop_service;

/// Waits for one client's descriptor. One wait at a time: the client's iterations follow each other, however many threads run
/// the context.
class asio_driver final : public std::enable_shared_from_this<asio_driver> {
public:
    asio_driver(boost::asio::io_context& context, event_source source)
        : source_(std::move(source)), descriptor_(std::in_place, context, source_.native_handle()) {}
    asio_driver(asio_driver const&) = delete;
    asio_driver& operator=(asio_driver const&) = delete;
    ~asio_driver() { let_go(); }

    void wait(asio_loop_service& in) {
        descriptor_->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                [self = shared_from_this(), &in](boost::system::error_code const& problem) {
                                    if (!problem) self->take_turn(in);
                                });
    }
    void abandon() noexcept {
        let_go();
        source_.abandon();
    }

private:
    void take_turn(asio_loop_service& in);
    void let_go() noexcept {
        if (descriptor_) descriptor_->release(); // it is the client's
        descriptor_.reset();
    }

    event_source source_;
    std::optional<boost::asio::posix::stream_descriptor> descriptor_;
};

/// Knows the drivers in a context, and ends them with it. Whoever knows the context learns that it is gone: clients that were
/// closed before, too.
class asio_loop_service final : public boost::asio::execution_context::service {
public:
    inline static boost::asio::execution_context::id id;

    explicit asio_loop_service(boost::asio::execution_context& owner) : service(owner) {}

    void add(std::shared_ptr<asio_driver> const& driver, client_context_ptr const& context) {
        std::lock_guard const guard(mutex_);
        std::erase_if(contexts_, [](auto const& known) { return known.expired(); });
        contexts_.push_back(context);
        drivers_.insert(driver);
    }
    void remove(std::shared_ptr<asio_driver> const& driver) {
        std::lock_guard const guard(mutex_);
        drivers_.erase(driver);
    }

private:
    void shutdown() override {
        std::unique_lock guard(mutex_);
        for (auto const& known : contexts_)
            if (auto const context = known.lock()) context->set(nullptr);
        while (!drivers_.empty()) {
            auto const driver = std::move(drivers_.extract(drivers_.begin()).value());
            guard.unlock(); // what is discarded may be anything, a client too
            driver->abandon();
            guard.lock();
        }
    }

    std::mutex mutex_; // guards what follows
    std::unordered_set<std::shared_ptr<asio_driver>> drivers_;
    std::vector<std::weak_ptr<client_context>> contexts_;
};

inline void asio_driver::take_turn(asio_loop_service& in) {
    if (source_.run_ready()) return wait(in);
    let_go();
    in.remove(shared_from_this());
}

inline user_loop loop_of(client_context_ptr const& context) {
    return user_loop{[context] { return context->runs_here(); }, context};
}

/// From now on the context runs the client.
inline void drive(boost::asio::io_context& context, client const& driven, client_context_ptr const& known) {
    // First the driver: its descriptor brings about Asio's own services, which end after ours then.
    auto const driver = std::make_shared<asio_driver>(context, driven.loop_source());
    auto& service = boost::asio::use_service<asio_loop_service>(context);
    service.add(driver, known);
    known->set(&context);
    try {
        driver->wait(service);
    } catch (...) {
        known->set(nullptr);
        service.remove(driver);
        throw;
    }
}

} // namespace detail

/// A client that is run by an io_context: no thread of the library's own exists but the notifier's, and that one only when a
/// listener or a lost() token has something to be told. Any number of threads may run the context.
///
/// Connects on the calling thread as client's constructor does, and throws what that throws: best before the context runs.
///
/// While it is open the client waits for its server, so context.run() does not return. It does once the client is closed - with
/// its last copy, or by close(), which on a thread of the context does not block but goes on there - and the handlers of what
/// was under way have run. Where the context ends first, the client is closed as by close(); handlers that were not called yet
/// are destroyed, as is Asio's custom. Then, too, no other thread may be using the client.
///
/// Blocking calls are refused with errc::wrong_thread on threads that run the context, and destructors of holds do not wait
/// there.
inline client make_client(boost::asio::io_context& context, config const& settings = {}) {
    auto const known = std::make_shared<detail::client_context>();
    client made(settings, detail::loop_of(known));
    detail::drive(context, made, known);
    return made;
}

inline client make_client(boost::asio::io_context::executor_type const& context_executor, config const& settings = {}) {
    return make_client(context_executor.context(), settings);
}

} // namespace redlatch
