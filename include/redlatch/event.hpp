// What a client tells of without being asked: client::on_event().
#pragma once

#include <redlatch/export.hpp>

#include <string>
#include <string_view>

namespace redlatch {

/// Something that a program may want to know although no call returned it.
struct event {
    enum class kind {
        hold_suspect,          ///< a renewal is overdue; the hold is still valid
        hold_recovered,        ///< a suspect hold was renewed after all
        hold_lost,             ///< a hold was lost, or permits that are renewed or whose permits::lost() was called
        release_failed,        ///< a release that nobody waits for (unlock(), destructor, detached) found the lock lost
        disconnected,          ///< a connection to the server was lost
        reconnected,           ///< and is back, or was made to the new master
        thread_exited_holding, ///< a thread ended while it held a lock; the lock stays held and renewed
        server_refuses, ///< the server answers and takes no locks: out of memory, without replicas or a disk, read-only
        server_recovered,  ///< and takes them again
        eviction_possible, ///< a full server may remove locks that are held (maxmemory-policy); once for each client
        too_few_replicas,  ///< a lock is held, or permits are taken, that fewer replicas have confirmed than asked for
    };
    kind what;
    std::string lock_name{}; ///< empty for connection events
    std::string owner_id{};  ///< likewise
    std::string message{};   ///< for a log
};

/// The enumerator's name, "hold_lost" for example; "unknown" for any other value.
REDLATCH_EXPORT std::string_view to_string(event::kind kind) noexcept;

} // namespace redlatch
