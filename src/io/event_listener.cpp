#include "io/event_listener.hpp"

#include <utility>

namespace redlatch::io {

std::optional<event> event_listener::set(function listener) {
    auto fresh = listener ? std::make_shared<function const>(std::move(listener)) : nullptr;
    std::optional<event> kept;
    std::lock_guard guard(mutex_);
    listener_.swap(fresh); // the old one is destroyed after the mutex is released
    if (listener_) kept.swap(kept_);
    return kept;
}

std::shared_ptr<event_listener::function const> event_listener::get() const {
    std::lock_guard guard(mutex_);
    return listener_;
}

bool event_listener::keep(event const& event) {
    std::lock_guard guard(mutex_);
    if (listener_) return false;
    kept_ = event;
    return true;
}

} // namespace redlatch::io
