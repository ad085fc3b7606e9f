// A call on its way without anybody who waits for it.
#pragma once

#include "io/insist.hpp"
#include "io/lock_call.hpp"
#include "io/reactor.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace redlatch::io {

class unattended final : public base::wakeable, public std::enable_shared_from_this<unattended> {
public:
    using handler = std::function<void(connection::call const&)>;
    /// See connection::call.
    struct terms {
        bool once = false;
        bool impatient = false; ///< at the first node: lock_call::be_impatient_at_first()
        /// It undoes something, and is to be executed also where the process has ended before the server reads it, and the
        /// server does not know the script.
        bool undoes = false;
    };

    /// `then` runs on the reactor with the answered or closed call.
    static void send(std::shared_ptr<reactor> const& loop, call_lane& lane, locking::wire_call call, handler then,
                     terms const& conditions) {
        std::make_shared<unattended>(loop, std::move(then))->begin(lane, std::move(call), conditions);
    }

    unattended(std::shared_ptr<reactor> loop, handler then) : loop_(std::move(loop)), then_(std::move(then)) {}

    void wake() noexcept override {
        insist([&] { loop_->post([self = shared_from_this()] { self->look(); }); });
    }

private:
    void begin(call_lane& lane, locking::wire_call call, terms const& conditions) {
        if (conditions.once) call_.be_sent_once();
        if (conditions.impatient) call_.be_impatient_at_first();
        try {
            if (conditions.undoes && call.is_script() && lane.wants_text_of(*call.text_of)) {
                lane_ = &lane;
                without_text_ = std::move(call);
                call_.begin_by_text(lane, *without_text_, shared_from_this(), false);
            } else {
                call_.begin(lane, std::move(call), shared_from_this(), false);
            }
        } catch (...) {
            call_.abandon(); // its waker is this object
            throw;
        }
        if (call_.finished()) wake(); // the lane was closed already
    }
    void look() {
        while (call_.finished()) {
            auto const answered = call_.take([this] { return shared_from_this(); });
            if (!answered) continue;
            auto by_sha1 = std::exchange(without_text_, std::nullopt);
            if (!by_sha1 || !connection::is_missing_right(answered->reply)) return then_(*answered);
            call_.begin(*lane_, std::move(*by_sha1), shared_from_this(), false); // the server may know it all the same
        }
    }

    std::shared_ptr<reactor> const loop_;
    handler then_;
    lock_call call_;
    call_lane* lane_ = nullptr;
    std::optional<locking::wire_call> without_text_{}; ///< of what was sent by its text
};

} // namespace redlatch::io
