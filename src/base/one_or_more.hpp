// A sequence that mostly has one element.
#pragma once

#include "base/assert.hpp"
#include "base/recycling.hpp"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace redlatch::base {

/// One element needs no memory of its own. References, pointers and iterators are valid until the next change.
/// An element converts to true; Value() converts to false, and stands for none.
///
/// Not thread-safe. push_back has the strong guarantee: when it throws, nothing has changed.
template <class Value> class one_or_more {
public:
    using value_type = Value;
    using const_iterator = Value const*;

    bool empty() const noexcept { return size() == 0; }
    std::size_t size() const noexcept { return several_ ? several_->size() : (one_ ? 1U : 0U); }
    Value* data() noexcept { return several_ ? several_->data() : &one_; }
    Value const* data() const noexcept { return several_ ? several_->data() : &one_; }
    Value* begin() noexcept { return data(); }
    Value* end() noexcept { return data() + size(); }
    Value const* begin() const noexcept { return data(); }
    Value const* end() const noexcept { return data() + size(); }
    Value& operator[](std::size_t place) noexcept { return data()[place]; }
    Value const& operator[](std::size_t place) const noexcept { return data()[place]; }
    Value& back() noexcept { return data()[size() - 1]; }

    void push_back(Value const& added) {
        REDLATCH_ASSERT(added);
        if (several_) return several_->push_back(added);
        if (!one_) {
            one_ = added;
            return;
        }
        auto both = std::make_unique<many>(std::initializer_list<Value>{one_, added}); // `added` may be our own
        make_none();
        several_ = std::move(both);
    }
    void pop_back() noexcept { erase(end() - 1); }
    void erase(Value const* place) noexcept {
        if (several_)
            several_->erase(several_->begin() + (place - begin()));
        else
            make_none();
    }
    void clear() noexcept {
        several_.reset();
        make_none();
    }

private:
    using many = std::vector<Value, recycling<Value>>;

    void make_none() noexcept {
        [[maybe_unused]] auto const gone =
            std::exchange(one_, Value()); // its destructor finds a sequence that is in order
    }

    Value one_{};
    std::unique_ptr<many> several_{}; ///< all of them, once there was more than one, until clear()
};

} // namespace redlatch::base
