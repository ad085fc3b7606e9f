// A release that nobody waits for: written by the thread that lets go, ended by whoever reads its answer.
//
// | stage    | event                                    | next                                                                |
// |----------|------------------------------------------|---------------------------------------------------------------------|
// | begun    | there is nothing to send                 | finished                                                            |
// | begun    | written                                  | on its way; nobody is woken to read the answer: the next caller     |
// |          |                                          | does, or the lane's tick                                            |
// | begun    | another operation of the owner is busy   | on the reactor, as any other asynchronous operation                 |
// | on its way | answered, closed                       | finished; or, where it must be tried again, on the reactor          |
// It has no deadline: a connection that breaks or falls silent ends, and the call is repeated on the next one.
#pragma once

#include "io/operation.hpp"
#include "io/releasing.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace redlatch::io {

class detached_release final : public async_task {
public:
    /// On the calling thread, which it does not block. Failures go to the client's listener.
    static void begin(std::shared_ptr<client_core> const& core, locking::tenure_ptr const& tenure,
                      std::uint64_t level_number);

    detached_release(std::shared_ptr<client_core> core, locking::tenure_ptr const& tenure, std::uint64_t level_number);
    void wake() noexcept override;
    void wake_under_mutex() noexcept override;

private:
    void begin_here();
    void look() noexcept;
    void take_steps();
    void go_on_with_the_reactor();
    operation& what() noexcept override { return *what_; }
    void finished() noexcept override;
    void disowned() noexcept override {}

    std::shared_ptr<client_core> core_;
    locking::tenure_ptr tenure_;
    std::optional<releasing> what_;
    /// One thread at a time takes a step; a wake that comes meanwhile makes it look again.
    enum class step_of : std::uint8_t { nobody, somebody, somebody_told };
    std::atomic<step_of> step_{step_of::somebody};
    std::atomic<bool> with_reactor_{false}; ///< as any other task
};

} // namespace redlatch::io
