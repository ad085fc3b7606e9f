// The permits that a client holds, and those that it has given back lately. Where the server may have forgotten some, it is
// asked about all of them; and another master may not have heard that some were given back (departure.hpp).
#pragma once

#include "base/function_ref.hpp"
#include "base/recent.hpp"
#include "base/time.hpp"
#include "locking/counter.hpp"
#include "locking/departure.hpp"
#include "locking/wire_call.hpp"

#include <mutex>
#include <string_view>
#include <vector>

namespace redlatch::io {

class permit_lease;

/// Thread-safe.
class permit_leases {
public:
    /// True: the server was asked after they were taken, and not about them. Throws std::bad_alloc.
    bool add(permit_lease& one);
    /// Does nothing for one that is not there.
    void remove(permit_lease& one) noexcept;
    /// Asks about each. On the reactor. Throws std::bad_alloc.
    void verify_all(base::instant now);

    /// From now on those that are given back are kept in mind for a while.
    void remember_departures() noexcept { remembers_ = true; }
    bool remembers_departures() const noexcept { return remembers_; }
    /// `release`: changes nothing where they are not there.
    void on_departed(locking::counter_ptr const& counter, locking::wire_call release, base::instant now) noexcept;
    struct departed {
        locking::counter_ptr counter{};
        locking::wire_call release{};
    };
    /// Of some semaphores another server is asked from now on: what is to be released there once more, and is forgotten here.
    /// Throws std::bad_alloc.
    std::vector<departed> departed_from(base::function_ref<bool(std::string_view name)> is_elsewhere,
                                        base::instant now);

private:
    bool remembers_ = false;
    std::mutex mutex_; // guards what follows
    std::vector<permit_lease*> held_;
    base::instant last_verified_{};
    base::recent<departed> departed_{locking::most_departures, locking::longest_departure};
};

} // namespace redlatch::io
