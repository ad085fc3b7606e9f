#include "holder_watch.hpp"

#include "lock_check.hpp"
#include "text.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>

namespace redlatch::cli {
namespace {

std::string_view owners_around_us() noexcept {
    char const* const value = std::getenv(owners_variable);
    return value == nullptr ? "" : value;
}

error nested(std::string const& name) {
    std::string const shown = "'" + printable(name) + "'";
    return {errc::invalid_argument,
            "the lock " + shown
                + " is held by the redlatch run around this command, which waits for this command to end: "
                + "both would wait for ever; the command has the lock " + shown
                + " already, so run it without a second redlatch run, or say --wait or --no-wait"};
}

} // namespace

std::string owners_with(std::string const& another) {
    // Without what stands behind the number: the name of a candidate may have blanks.
    auto const plain = another.substr(0, another.find(':', another.find(':') + 1));
    std::string const outer(owners_around_us());
    return outer.empty() ? plain : outer + ' ' + plain;
}

bool held_by_one_of(std::string_view owners, lock_info const& lock) {
    while (!owners.empty()) {
        auto const end = std::min(owners.find(' '), owners.size());
        auto const one = owners.substr(0, end);
        if (std::any_of(lock.owners.begin(), lock.owners.end(),
                        [one](auto const& holder) { return holder.client + ":" + holder.holder == one; }))
            return true;
        owners.remove_prefix(std::min(end + 1, owners.size()));
    }
    return false;
}

struct holder_watch::state {
    state(basic_lock const& watched, std::stop_source const& stop, bool without_end)
        : lock(watched), wait(stop), endless(without_end) {}

    basic_lock lock;
    std::stop_source wait;
    bool const endless;
    std::mutex mutex{};
    std::condition_variable_any answered{};
    bool asking = false;
    bool around_us = false;
    std::optional<error> refusal{};
    lock_info last{};

    void take(std::error_code problem, lock_info const& info) {
        std::optional<error> found;
        bool const around = !problem && held_by_one_of(owners_around_us(), info);
        try {
            if (!problem) require_lock(info);
            if (around && endless) found = nested(info.name);
        } catch (error const& no_lock) {
            found = no_lock;
        }
        bool const stops = found.has_value();
        {
            std::lock_guard const guard(mutex);
            asking = false;
            if (!problem) around_us = around;
            if (!problem) last = info;
            if (found) refusal = std::move(found);
        }
        answered.notify_all();
        if (stops) wait.request_stop();
    }
};

holder_watch::holder_watch(basic_lock const& lock, std::stop_source const& wait, bool endless)
    : state_(std::make_shared<state>(lock, wait, endless)) {}

void holder_watch::ask() {
    {
        std::lock_guard const guard(state_->mutex);
        if (state_->asking) return;
        state_->asking = true;
    }
    try {
        state_->lock.async_inspect(
            {}, [kept = state_](std::error_code problem, lock_info const& info) { kept->take(problem, info); },
            {.labels = true});
    } catch (std::exception const&) { // closed, or no memory: it tells nothing, as a server that does not answer
        std::lock_guard const guard(state_->mutex);
        state_->asking = false;
    }
}

void holder_watch::wait_for_answer(duration limit) const {
    std::unique_lock guard(state_->mutex);
    state_->answered.wait_for(guard, state_->wait.get_token(), limit, [this] { return !state_->asking; });
}

std::optional<error> holder_watch::refusal() const {
    std::lock_guard const guard(state_->mutex);
    return state_->refusal;
}

lock_info holder_watch::seen() const {
    std::lock_guard const guard(state_->mutex);
    return state_->last;
}

bool holder_watch::is_around_us() const {
    std::lock_guard const guard(state_->mutex);
    return state_->around_us;
}

} // namespace redlatch::cli
