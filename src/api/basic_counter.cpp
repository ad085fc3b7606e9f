#include "api/counter_impl.hpp"

#include <redlatch/basic_counter.hpp>
#include <redlatch/error.hpp>

#include <utility>

namespace redlatch {

using detail::counter_impl;

namespace {

detail::requested_change<bool> removing_counter(counter_impl const& impl) {
    return {.about = "removing " + impl.shown(), .compose = impl.what->how->remove, .read = detail::reads_done(impl)};
}

} // namespace

basic_counter::basic_counter(std::shared_ptr<counter_impl> impl) noexcept : impl_(std::move(impl)) {}

counter_impl const& basic_counter::impl() const {
    if (!impl_)
        throw error(errc::invalid_argument, "this semaphore or latch was moved from; use the one that it was moved to");
    return *impl_;
}

std::string const& basic_counter::name() const noexcept {
    static std::string const none;
    return impl_ ? impl_->what->name : none;
}

user_loop const* basic_counter::driven_by() const noexcept {
    return impl_ ? impl_->core->driven_by() : nullptr;
}

bool basic_counter::remove() {
    return detail::change_now(impl(), removing_counter(impl()));
}

std::optional<outcome> basic_counter::start_remove(completion_ptr<bool>& done) {
    return detail::change_later(impl(), removing_counter(impl()), done);
}

void basic_counter::async_remove(executor ex, std::function<void(std::error_code, bool)> handler) {
    detail::with_handler<bool>(*impl().core, std::move(ex), std::move(handler),
                               [this](completion_ptr<bool>& done) { return start_remove(done); });
}

} // namespace redlatch
