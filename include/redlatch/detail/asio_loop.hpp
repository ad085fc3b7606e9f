// Part of redlatch/asio.hpp: an io_context as the loop that runs a client.
#pragma once

#include <redlatch/client.hpp>
#include <redlatch/config.hpp>
#include <redlatch/event_source.hpp>

#include <any>
#include <atomic>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace redlatch {
namespace detail {

/// The context that runs a client; null before it does, and once it is gone.
using context_place = std::shared_ptr<std::atomic<boost::asio::io_context*>>;

inline boost::asio::io_context* context_of(user_loop const* loop) noexcept {
    auto const* const place = loop != nullptr ? std::any_cast<context_place>(&loop->executor) : nullptr;
    return place != nullptr ? (*place)->load(std::memory_order_acquire) : nullptr; // pairs with the end of the service
}

class asio_loop_service;

/// Waits for one client's descriptor. One wait at a time: the client's turns follow each other, however many threads run the
/// context.
class asio_driver final : public std::enable_shared_from_this<asio_driver> {
public:
    asio_driver(boost::asio::io_context& context, event_source source, context_place place)
        : source_(std::move(source)), place_(std::move(place)),
          descriptor_(std::in_place, context, source_.native_handle()) {}
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
        place_->store(nullptr, std::memory_order_release); // pairs with context_of
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
    context_place const place_;
    std::optional<boost::asio::posix::stream_descriptor> descriptor_;
};

/// Knows the drivers in a context, and ends them with it.
class asio_loop_service final : public boost::asio::execution_context::service {
public:
    inline static boost::asio::execution_context::id id;

    explicit asio_loop_service(boost::asio::execution_context& owner) : service(owner) {}

    void add(std::shared_ptr<asio_driver> const& driver) {
        std::lock_guard const guard(mutex_);
        drivers_.insert(driver);
    }
    void remove(std::shared_ptr<asio_driver> const& driver) {
        std::lock_guard const guard(mutex_);
        drivers_.erase(driver);
    }

private:
    void shutdown() override {
        // What is discarded may be anything, a client too.
        while (!drivers_.empty()) drivers_.extract(drivers_.begin()).value()->abandon();
    }

    std::mutex mutex_; // guards what follows
    std::unordered_set<std::shared_ptr<asio_driver>> drivers_;
};

inline void asio_driver::take_turn(asio_loop_service& in) {
    if (source_.run_ready()) return wait(in);
    let_go();
    in.remove(shared_from_this());
}

inline user_loop loop_of(context_place const& place) {
    auto const here = [place] {
        auto* const running = place->load(std::memory_order_acquire); // pairs with the end of the service
        return running != nullptr && running->get_executor().running_in_this_thread();
    };
    return user_loop{here, place};
}

/// From now on the context runs the client.
inline void drive(boost::asio::io_context& context, client const& driven, context_place const& place) {
    // First the driver: its descriptor brings about Asio's own services, which end after ours then.
    auto const driver = std::make_shared<asio_driver>(context, driven.loop_source(), place);
    auto& service = boost::asio::use_service<asio_loop_service>(context);
    service.add(driver);
    place->store(&context, std::memory_order_release); // pairs with context_of
    try {
        driver->wait(service);
    } catch (...) {
        place->store(nullptr, std::memory_order_release); // pairs with context_of
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
    auto const place = std::make_shared<std::atomic<boost::asio::io_context*>>(nullptr);
    client made(settings, detail::loop_of(place));
    detail::drive(context, made, place);
    return made;
}

inline client make_client(boost::asio::io_context::executor_type const& where, config const& settings = {}) {
    return make_client(where.context(), settings);
}

} // namespace redlatch
