// Who is told of events, and what happened before there was anybody.
#pragma once

#include <redlatch/event.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace redlatch::io {

/// Thread-safe.
class event_listener {
public:
    using function = std::function<void(event const&)>;

    /// Empty: nobody any more. What the new one has to be told at once; none: nothing.
    std::optional<event> set(function listener);
    /// Null: there is nobody.
    std::shared_ptr<function const> get() const;
    /// Keeps it for the first listener, unless there is one: false.
    bool keep(event const& event);

private:
    mutable std::mutex mutex_; // guards what follows
    std::shared_ptr<function const> listener_;
    std::optional<event> kept_{};
};

} // namespace redlatch::io
