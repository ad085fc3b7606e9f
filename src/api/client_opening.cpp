#include "api/client_opening.hpp"

#include "api/async_call.hpp"
#include "api/environment_server.hpp"
#include "io/insist.hpp"

#include <redlatch/embedded_server.hpp>
#include <redlatch/error.hpp>

#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace redlatch {
namespace detail {
namespace {

constexpr int embedded_starts = 3;

/// Told once, by the thread that connects or by whoever cancels.
class connecting final : public cancellable, public std::enable_shared_from_this<connecting> {
public:
    using result = std::optional<client>;

    explicit connecting(completion_ptr<result> done) : done_(std::move(done)) {}

    completion_ptr<result>& done() noexcept { return done_; }

    /// The connection goes on being made, and is closed when it is there. Telling may run what blocks: on a thread of its own.
    void cancel() noexcept override {
        bool const told = io::insist(
            [this] { std::thread([self = shared_from_this()] { self->tell(cancelled(), std::nullopt); }).detach(); });
        if (!told) tell(cancelled(), std::nullopt); // no thread can be started: better here than not at all
    }

    /// Null: it was told already.
    completion_ptr<result> take() {
        std::lock_guard const guard(mutex_);
        return std::move(done_);
    }
    void tell(outcome const& end, result made) {
        if (auto done = take()) done.release()->complete(end, std::move(made));
    }

private:
    static outcome cancelled() { return {errc::cancelled, "connecting was cancelled"}; }

    std::mutex mutex_; // guards what follows
    completion_ptr<result> done_;
};

} // namespace

std::shared_ptr<client_handle> open_client(config settings, std::optional<user_loop> loop) {
    if (loop && !loop->on_thread)
        throw error(errc::invalid_argument,
                    "user_loop::on_thread is empty; it has to say whether the calling thread runs the loop");
    settings.validate();
    if (settings.address.empty() && settings.topology.mode == server_mode::single)
        settings = with_server_of_environment(std::move(settings));
    bool const embedded = settings.address == config::local().address;
    for (int start = 1;; ++start) {
        if (embedded) { // its address is known only now
            embedded_server server;
            server.ensure_running();
            settings.address = server.uri();
        }
        try {
            return std::make_shared<client_handle>(io::client_core::open(settings, loop));
        } catch (std::system_error const& problem) {
            if (problem.code().category() != error_category()) // no descriptor, for example
                throw error(errc::disconnected, std::string("the client was not connected: ") + problem.what());
            // Somebody ended it just now (`redlatch server stop`): another start, as for those who come a moment later.
            if (!embedded || problem.code() != errc::disconnected || start == embedded_starts) throw;
        }
    }
}

} // namespace detail

namespace {

constexpr char const* no_thread_to_connect =
    "the client was not connected: no thread can be started to do it; raise the limit of threads";

} // namespace

std::optional<outcome> client::start_connect(config const& settings, completion_ptr<std::optional<client>>& done,
                                             std::optional<user_loop> loop) {
    auto const one = std::make_shared<detail::connecting>(std::move(done));
    if (one->done()) one->done()->begins(canceller(std::weak_ptr<detail::cancellable>(one)));
    try {
        std::thread([one, settings = settings, loop = std::move(loop)]() mutable {
            try {
                one->tell({}, client(detail::open_client(std::move(settings), std::move(loop))));
            } catch (error const& problem) {
                one->tell({problem.code(), problem.what()}, std::nullopt);
            } catch (std::exception const& problem) { // no memory, or no descriptor
                one->tell({errc::disconnected, std::string("the client was not connected: ") + problem.what()},
                          std::nullopt);
            }
        }).detach();
    } catch (std::system_error const& no_thread) {
        done = one->take();
        if (!done) return std::nullopt; // somebody has cancelled it meanwhile, and it was told
        return outcome(no_thread.code(), no_thread_to_connect);
    } catch (std::bad_alloc const&) {
        done = one->take();
        if (done) throw;
    }
    return std::nullopt;
}

void client::async_connect(config const& settings, executor ex,
                           std::function<void(std::error_code, std::optional<client>)> handler) {
    detail::must_be_callable(handler);
    completion_ptr<std::optional<client>> done(
        new detail::callback<std::optional<client>>(completes_on::notifier, std::move(ex), std::move(handler)));
    if (auto const end = start_connect(settings, done)) throw std::system_error(end->code(), no_thread_to_connect);
}

} // namespace redlatch
