#include <redlatch/error.hpp>

#include <utility>

namespace redlatch {

namespace {

char const* describe(errc code) noexcept {
    switch (code) {
    case errc::busy: return "somebody else holds it";
    case errc::timed_out: return "the wait ended before it was acquired";
    case errc::cancelled: return "the wait was cancelled";
    case errc::not_owner: return "it is not held by this owner; nothing was changed";
    case errc::lease_lost: return "it was held and has been lost";
    case errc::outcome_unknown: return "the connection broke and what became of the command is not known";
    case errc::disconnected: return "the server cannot be reached, or did not answer in time";
    case errc::server_refused: return "the server refused the command";
    case errc::wrong_type: return "the key with the name of the lock is not a lock";
    case errc::bad_reply: return "the server sent an unexpected reply";
    case errc::bad_config: return "the configuration cannot be used";
    case errc::bad_name: return "a lock name must have 1 byte to 64 KiB";
    case errc::invalid_argument: return "an argument of the call cannot be used";
    case errc::closed: return "the client was closed";
    case errc::forked: return "the client belongs to the parent process; make a new one in this process";
    case errc::wrong_thread: return "a call that blocks was made on a thread of the client";
    case errc::would_deadlock: return "this owner would wait for itself; nothing was changed";
    case errc::not_replicated: return "too few replicas confirmed it in time; it was given back";
    }
    return nullptr;
}

class category final : public std::error_category {
public:
    char const* name() const noexcept override { return "redlatch"; }

    std::string message(int code) const override {
        if (code == 0) return "success";
        auto const* const text = describe(static_cast<errc>(code));
        return text ? text : "unknown redlatch error " + std::to_string(code);
    }

    std::error_condition default_error_condition(int code) const noexcept override {
        switch (static_cast<errc>(code)) {
        case errc::busy: return std::errc::device_or_resource_busy;
        case errc::timed_out: return std::errc::timed_out;
        case errc::cancelled: return std::errc::operation_canceled;
        case errc::not_owner: return std::errc::operation_not_permitted;
        case errc::disconnected: return std::errc::not_connected;
        case errc::server_refused: return std::errc::permission_denied;
        case errc::bad_reply: return std::errc::protocol_error;
        case errc::bad_config:
        case errc::bad_name:
        case errc::invalid_argument: return std::errc::invalid_argument;
        case errc::wrong_thread:
        case errc::would_deadlock: return std::errc::resource_deadlock_would_occur;
        case errc::lease_lost:
        case errc::outcome_unknown:
        case errc::wrong_type:
        case errc::closed:
        case errc::forked:
        case errc::not_replicated: break;
        }
        return {code, *this};
    }

    bool equivalent(int code, std::error_condition const& condition) const noexcept override {
        // What a mutex says of this is one of the two, what a socket says the other.
        if (code == static_cast<int>(errc::busy) && condition == std::errc::resource_unavailable_try_again) return true;
        return std::error_category::equivalent(code, condition);
    }
};

} // namespace

std::error_category const& error_category() noexcept {
    // Never destroyed: error codes may be looked at in static destructors.
    static auto const& instance = *new category;
    return instance;
}

error::error(errc code, std::string message) : std::system_error(code), message_(std::move(message)) {}

} // namespace redlatch
