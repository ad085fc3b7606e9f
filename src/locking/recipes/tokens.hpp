// Calls that bring a fencing token: the script takes the lock and counts at once. wire: protocol section 5.3.
#pragma once

#include "locking/recipe.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace redlatch::locking::tokens {

/// A call of `program`; where a token is to come with it, the counter is its last key, and its last argument for how long that
/// is to stay, unless that is for ever.
wire_call call(script const& program, call_context const& context, std::initializer_list<std::string_view> keys,
               std::initializer_list<std::string_view> arguments);

/// Acquisition and re-entry of a hash NAME -> {OWNER: count}.
wire_call acquire(call_context const& context);
wire_call reenter(call_context const& context, int count);

/// An array of one, greater than zero; 0: something else.
std::uint64_t read(resp::value const& reply) noexcept;

} // namespace redlatch::locking::tokens
