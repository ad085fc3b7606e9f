#include "sim/world/shortage.hpp"

#include "base/assert.hpp"
#include "sim/world/fiber.hpp"
#include "sim/world/process.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace redlatch::sim {
namespace {

constexpr std::int64_t no_refusal = -1;

std::int64_t exchange_with_running(std::int64_t requests) noexcept {
    auto* const who = fiber::current();
    return who == nullptr ? no_refusal : std::exchange(who->requests_until_refusal, requests);
}

} // namespace

memory_refusal::memory_refusal(std::int64_t earlier) noexcept {
    REDLATCH_ASSERT(fiber::current() != nullptr);
    exchange_with_running(earlier);
}

memory_refusal::~memory_refusal() {
    exchange_with_running(no_refusal);
}

memory_of_the_world::memory_of_the_world() noexcept : before_(exchange_with_running(no_refusal)) {}

memory_of_the_world::~memory_of_the_world() {
    exchange_with_running(before_);
}

void request_memory() {
    auto* const who = fiber::current();
    if (who != nullptr && who->is_refused_memory()) throw std::bad_alloc();
}

void request_thread(process const& of) {
    if (of.without_threads)
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), "no thread");
}

} // namespace redlatch::sim
