// What stands behind an election: the lock that its leader holds, and the wait for another leader.
#pragma once

#include "api/access.hpp"
#include "api/counter_impl.hpp"

#include <redlatch/basic_lock.hpp>
#include <redlatch/leader_election.hpp>
#include <redlatch/owner.hpp>

#include <memory>
#include <string>
#include <utility>

namespace redlatch::detail {

struct election_impl {
    class election_lock : public basic_lock {
    public:
        explicit election_lock(std::shared_ptr<lock_impl> impl) noexcept : basic_lock(std::move(impl)) {}
    };

    std::shared_ptr<io::client_core> core;
    election_lock lock;
    counter_impl change; ///< of the leader
    std::string candidate;
    redlatch::owner owner{}; ///< of all terms of this candidate

    static leadership term(hold held) { return leadership(std::move(held)); }
};

} // namespace redlatch::detail
