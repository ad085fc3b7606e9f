// Everything that can go wrong, as values that a caller can branch on.
//
// Operations throw redlatch::error, whose what() is a message that names the lock, the owner or the server and says what to do.
// To acquire and to release have a second form each, which takes a std::error_code& and reports only the value.
#pragma once

#include <redlatch/export.hpp>

#include <string>
#include <system_error>

namespace redlatch {

/// The outcomes a caller can act upon. Zero is success.
enum class errc {
    busy = 1,         ///< Somebody else holds the lock, and no wait was asked for.
    timed_out,        ///< The wait ended while somebody else held the lock.
    cancelled,        ///< The std::stop_token of the call was triggered.
    not_owner,        ///< Unlock by an owner that has nothing to unlock. Nothing was changed.
    lease_lost,       ///< The lock was held and is not any more: it expired, or somebody removed it.
    outcome_unknown,  ///< The connection broke and what became of the command could not be learnt in time.
    disconnected,     ///< The server cannot be reached, did not answer in time, or executed nothing until then.
    server_refused,   ///< The server answered with an error: a missing right, no memory. Or it is not trusted.
    wrong_type,       ///< The key with the lock's name is not a lock.
    bad_reply,        ///< The server's answer is not one of this protocol.
    bad_config,       ///< A URI, a YAML document or a config that cannot be used.
    bad_name,         ///< A lock name that is empty, or too long, or whose keys would be in two slots of a cluster.
    invalid_argument, ///< What the message says: a negative duration, no handler, an object that was moved from.
    closed,           ///< The client was closed.
    forked,           ///< The client was made by the parent of this process; make a new one here.
    wrong_thread,     ///< A blocking call on a thread that must not block (the client's own).
    would_deadlock,   ///< The owner would wait for what it holds itself. Nothing was changed.
    not_replicated, ///< Fewer replicas than its replica_policy asks for confirmed the lock or permits in time. Given back.
};

/// The category of errc; its message() is short and general. Portable code may compare with std::errc instead:
///
/// | errc                                   | equals std::errc                                           |
/// |----------------------------------------|------------------------------------------------------------|
/// | busy                                   | device_or_resource_busy and resource_unavailable_try_again |
/// | timed_out                              | timed_out                                                  |
/// | cancelled                              | operation_canceled                                         |
/// | not_owner                              | operation_not_permitted                                    |
/// | disconnected                           | not_connected                                              |
/// | server_refused                         | permission_denied                                          |
/// | bad_reply                              | protocol_error                                             |
/// | bad_config, bad_name, invalid_argument | invalid_argument                                           |
/// | wrong_thread, would_deadlock           | resource_deadlock_would_occur                              |
/// The others equal no std::errc; compare with errc.
REDLATCH_EXPORT std::error_category const& error_category() noexcept;

inline std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

/// What the throwing forms throw.
class REDLATCH_EXPORT error : public std::system_error {
public:
    error(errc code, std::string message);

    /// The full message, with the names of what it is about.
    char const* what() const noexcept override { return message_.c_str(); }

    /// The same as code(), as the enumeration.
    errc reason() const noexcept { return static_cast<errc>(code().value()); }

private:
    std::string message_;
};

} // namespace redlatch

template <> struct std::is_error_code_enum<redlatch::errc> : std::true_type {};
