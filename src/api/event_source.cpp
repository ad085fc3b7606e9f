#include "io/client_core.hpp"

#include <redlatch/event_source.hpp>

#include <utility>

namespace redlatch {

event_source::event_source(std::shared_ptr<io::client_core> core) noexcept : core_(std::move(core)) {}

int event_source::native_handle() const noexcept {
    return core_->loop()->descriptor();
}

bool event_source::run_ready() {
    if (core_->forked()) return false; // the set is shared with the parent
    return core_->loop()->run_ready();
}

void event_source::abandon() noexcept {
    core_->abandon();
}

} // namespace redlatch
