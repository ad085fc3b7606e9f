// Of a worker that waits for an answer by handler.
#pragma once

#include "sim/world/fiber.hpp"
#include "sim/world/world.hpp"

#include <memory>
#include <system_error>
#include <utility>

namespace redlatch::sim {

template <class Value> class answer_of_call {
public:
    auto handler() {
        return [box = box_, parker = parker_](std::error_code ec, auto... value) {
            box->ec = ec;
            ((box->value = std::move(value)), ...);
            box->given = true;
            if (auto* const who = fiber::of(parker)) world::the().wake(*who);
        };
    }
    std::error_code wait(world& universe) {
        while (!box_->given) universe.rest_until(never);
        return box_->ec;
    }
    Value take() { return std::move(box_->value); }

private:
    struct box {
        bool given = false;
        std::error_code ec;
        Value value{};
    };
    std::shared_ptr<box> box_ = std::make_shared<box>();
    io::parker* parker_ = &fiber::current()->its_parker();
};

} // namespace redlatch::sim
