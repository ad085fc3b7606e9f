// A client without an I/O thread: an event loop of the user's runs it.
//
// The client has one descriptor that is readable for as long as there is work, and one function that does what there is without
// blocking. <redlatch/asio.hpp> joins them to an io_context; the same is a few lines for any loop that can watch a descriptor.
//
//     redlatch::client client(settings, redlatch::user_loop{[] { return the_loop_runs_here(); }});
//     redlatch::event_source source = client.loop_source();
//     watch(source.native_handle(), [source]() mutable { if (!source.run_ready()) stop_watching(); });
#pragma once

#include <redlatch/export.hpp>

#include <any>
#include <functional>
#include <memory>

namespace redlatch {

namespace detail {
struct event_source_access;
}
namespace io {
class client_core;
}

/// What a client is told of the loop that will run it.
struct user_loop {
    /// Does the calling thread run the loop? There blocking calls are refused with errc::wrong_thread, and destructors of
    /// holds do not wait. Called from any thread. Empty: the client is not made, error(invalid_argument).
    std::function<bool()> on_thread{};
    /// What handlers run on that name no executor; for faces such as redlatch/asio.hpp, the client only keeps it.
    std::any executor{};
};

/// What a loop runs a client with. It does not keep the client open: once that is closed, run_ready() says false, and the loop
/// may forget it.
///
/// Thread safety: distinct objects: safe. Shared objects: safe; run_ready() is run by one thread at a time.
class REDLATCH_EXPORT event_source {
public:
    /// Readable (level-triggered) while there is work. The client's own: it may be duplicated, not closed.
    int native_handle() const noexcept;

    /// Does what there is to do - reading, renewing, timers, completions - and returns, without blocking. False: the client is
    /// closed and there will be nothing more.
    bool run_ready();

    /// The loop has ended with operations outstanding: closes the client as client::close() does, but calls no completion:
    /// each is discarded.
    void abandon() noexcept;

private:
    friend struct detail::event_source_access;
    explicit event_source(std::shared_ptr<io::client_core> core) noexcept;
    std::shared_ptr<io::client_core> core_;
};

} // namespace redlatch
